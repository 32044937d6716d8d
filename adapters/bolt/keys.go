package bolt

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strconv"
	"time"

	"go.etcd.io/bbolt"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// keys.go is the layout of the file, all of it:
//
//	meta           schema → number
//	conversations  person · key → adapters.Ledger
//	settings       owner · name → adapters.Record
//	reminders      person · key · id → adapters.Waiting, the dead included
//	rooms          room · person · key · id → nothing: whose reminders a room has
//	due            instant · person · key · id → nothing: in order of time
//	dead           instant of death · person · key · id → nothing
//
// Values are JSON behind a checksum. "a · b" is a with its length before it, then b, so that
// all of one owner lie together and no owner looks like the start of another.

// Schema is the layout that this code writes.
const Schema = 1

var (
	metaBucket          = []byte("meta")
	conversationsBucket = []byte("conversations")
	settingsBucket      = []byte("settings")
	remindersBucket     = []byte("reminders")
	roomsBucket         = []byte("rooms")
	dueBucket           = []byte("due")
	deadBucket          = []byte("dead")

	schemaKey = []byte("schema")
)

// raise brings a file of the schema that is its index to the next one.
var raise = [Schema]func(*bbolt.Tx) error{
	makeBuckets, // 0: a new file
}

// prepare brings a file up to Schema, or refuses it.
func prepare(tx *bbolt.Tx) error {
	schema, err := schemaOf(tx)
	if err != nil {
		return err
	}
	if schema > Schema {
		return fmt.Errorf("the file has layout %d and was %w (this one knows %d)", schema, adapters.ErrNewer, Schema)
	}
	for ; schema < Schema; schema++ {
		if err := raise[schema](tx); err != nil {
			return fmt.Errorf("bring the file from layout %d to %d: %w", schema, schema+1, err)
		}
	}
	return tx.Bucket(metaBucket).Put(schemaKey, []byte(strconv.Itoa(Schema)))
}

// schemaOf is the layout of a file, 0 when it is empty.
func schemaOf(tx *bbolt.Tx) (int, error) {
	meta := tx.Bucket(metaBucket)
	if first, _ := tx.Cursor().First(); meta == nil && first == nil {
		return 0, nil
	}
	if meta == nil {
		return 0, fmt.Errorf("the file is %w; it was left as it is: name another file", adapters.ErrForeign)
	}
	schema, err := strconv.Atoi(string(meta.Get(schemaKey)))
	if err != nil || schema < 1 {
		return 0, fmt.Errorf("the file is %w (its layout is %.20q); it was left as it is: name another file", adapters.ErrForeign, meta.Get(schemaKey))
	}
	return schema, nil
}

func makeBuckets(tx *bbolt.Tx) error {
	for _, name := range [][]byte{metaBucket, conversationsBucket, settingsBucket, remindersBucket, roomsBucket, dueBucket, deadBucket} {
		if _, err := tx.CreateBucketIfNotExists(name); err != nil {
			return err
		}
	}
	return nil
}

// under is the key of something of an owner's.
func under(owner, rest string) []byte {
	k := binary.AppendUvarint(nil, uint64(len(owner)))
	return append(append(k, owner...), rest...)
}

// restOf is what under put behind the owner.
func restOf(owner string, key []byte) string { return string(key[len(under(owner, "")):]) }

func conversationKey(k advisor.Key) []byte { return under(string(adapters.Person(k)), string(k)) }

func settingKey(of adapters.Owner, name string) []byte { return under(string(of), name) }

// reminderKey identifies a reminder.
func reminderKey(k advisor.Key, id string) []byte {
	return under(string(adapters.Person(k)), string(under(string(k), id)))
}

func roomKey(k advisor.Key, reminder []byte) []byte {
	return under(string(adapters.Room(k)), string(reminder))
}

// timeKey sorts by time. The flipped bit puts instants before 1970 first.
func timeKey(at time.Time, reminder []byte) []byte {
	k := binary.BigEndian.AppendUint64(nil, uint64(at.UnixNano())^1<<63)
	return append(k, reminder...)
}

// atTimeKey takes such a key apart.
func atTimeKey(k []byte) (at time.Time, reminder []byte) {
	return time.Unix(0, int64(binary.BigEndian.Uint64(k)^1<<63)).UTC(), k[8:]
}

// read decodes a value. One that is absent leaves v as it is.
func read(b *bbolt.Bucket, key []byte, v any) error {
	data := b.Get(key)
	if data == nil {
		return nil
	}
	return decode(data, v)
}

// checksum is in front of every value: bbolt has none of its own, and a disk
// may give back something else than it was given.
var checksum = crc32.MakeTable(crc32.Castagnoli)

const checksumLen = 4

func decode(data []byte, v any) error {
	if len(data) < checksumLen || binary.BigEndian.Uint32(data) != crc32.Checksum(data[checksumLen:], checksum) {
		return damage("a record is not what was written")
	}
	if err := json.Unmarshal(data[checksumLen:], v); err != nil {
		return fmt.Errorf("a record is %w: %v", adapters.ErrForeign, err)
	}
	return nil
}

func write(b *bbolt.Bucket, key []byte, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	value := binary.BigEndian.AppendUint32(make([]byte, 0, checksumLen+len(data)), crc32.Checksum(data, checksum))
	return b.Put(key, append(value, data...))
}

// each calls f for all keys that begin with the prefix; f may not change the
// bucket.
func each(b *bbolt.Bucket, prefix []byte, f func(k, v []byte) error) error {
	c := b.Cursor()
	for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
		if err := f(k, v); err != nil {
			return err
		}
	}
	return nil
}
