package adapters

import (
	"encoding/json"
	"fmt"

	"gpuadvisor/advisor"
)

// encode.go is the stored form of what the advisor's types hold: JSON, with
// the schema number of a conversation inside. All stores write the same, so a
// record can move from one to another.

// EncodeConversation returns the stored form of a conversation.
func EncodeConversation(c advisor.Conversation) ([]byte, error) {
	b, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encode conversation: %w", err)
	}
	return b, nil
}

// DecodeConversation reads a stored form and gives it the version of its
// record. What an older schema wrote is brought up to advisor.Schema; what a
// newer one wrote is refused with ErrNewer; what is no conversation, with
// ErrForeign.
func DecodeConversation(b []byte, version int64) (advisor.Conversation, error) {
	var c advisor.Conversation
	if err := json.Unmarshal(b, &c); err != nil {
		return advisor.Conversation{}, fmt.Errorf("conversation is %w: %v", ErrForeign, err)
	}
	if c.Schema < 0 {
		return advisor.Conversation{}, fmt.Errorf("conversation of schema %d is %w", c.Schema, ErrForeign)
	}
	if c.Schema > advisor.Schema {
		return advisor.Conversation{}, fmt.Errorf("conversation of schema %d was %w (this one knows %d)", c.Schema, ErrNewer, advisor.Schema)
	}
	for c.Schema < advisor.Schema {
		raise[c.Schema](&c)
		c.Schema++
	}
	c.Version = version
	return c, nil
}

// raise brings a conversation of the schema that is its index to the next one.
// A change of advisor.Conversation that JSON does not carry over by itself
// raises advisor.Schema and adds a step here.
var raise = [advisor.Schema]func(*advisor.Conversation){
	func(*advisor.Conversation) {}, // 0: a conversation that nobody gave a number
}

// EncodeReply returns the stored form of a reply.
func EncodeReply(r advisor.Reply) ([]byte, error) {
	b, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode reply: %w", err)
	}
	return b, nil
}

// DecodeReply reads a stored form.
func DecodeReply(b []byte) (advisor.Reply, error) {
	var r advisor.Reply
	if err := json.Unmarshal(b, &r); err != nil {
		return advisor.Reply{}, fmt.Errorf("reply is %w: %v", ErrForeign, err)
	}
	return r, nil
}
