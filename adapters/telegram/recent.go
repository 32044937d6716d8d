package telegram

import "sync"

// recent remembers the latest n things by key; older ones make room.
type recent[K comparable, V any] struct {
	mu    sync.Mutex
	n     int
	kept  map[K]V
	order []K // oldest first
}

func newRecent[K comparable, V any](n int) *recent[K, V] {
	return &recent[K, V]{n: n, kept: map[K]V{}}
}

// put remembers v under k and returns what was there before.
func (r *recent[K, V]) put(k K, v V) (before V, had bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before, had = r.kept[k]
	r.kept[k] = v
	if had {
		return before, true
	}
	r.order = append(r.order, k)
	if len(r.order) > r.n {
		delete(r.kept, r.order[0])
		r.order = append(r.order[:0], r.order[1:]...)
	}
	return before, false
}

func (r *recent[K, V]) get(k K) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.kept[k]
	return v, ok
}
