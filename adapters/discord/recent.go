package discord

import "sync"

// recent remembers the last things it was told, between size and twice as
// many, and forgets older ones: memory stays flat whatever comes.
type recent[K comparable, V any] struct {
	size     int
	mu       sync.Mutex
	now, old map[K]V
}

func newRecent[K comparable, V any](size int) *recent[K, V] {
	return &recent[K, V]{size: size, now: map[K]V{}}
}

func (r *recent[K, V]) get(k K) (v V, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if v, ok = r.now[k]; ok {
		return v, ok
	}
	v, ok = r.old[k]
	return v, ok
}

func (r *recent[K, V]) put(k K, v V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.set(k, v)
}

func (r *recent[K, V]) set(k K, v V) {
	if len(r.now) >= r.size {
		r.old, r.now = r.now, make(map[K]V, r.size)
	}
	r.now[k] = v
}

// add notes k unless it is known, and reports whether it was not.
func (r *recent[K, V]) add(k K, v V) (isNew bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.now[k]; ok {
		return false
	}
	if _, ok := r.old[k]; ok {
		return false
	}
	r.set(k, v)
	return true
}

func (r *recent[K, V]) drop(k K) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.now, k)
	delete(r.old, k)
}
