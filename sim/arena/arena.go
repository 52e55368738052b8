// Package arena (unstable) hands out values from blocks, and has a queue, so that most of them
// cost no allocation of their own.
//
// It must never import anything of this module.
package arena

// Arena hands out zero values. Its zero value is ready for use.
type Arena[T any] struct {
	blocks [][]T
	// used is the number of blocks in use, free what is left of the last one.
	used int
	free []T
	// shared: a clone uses what was handed out.
	shared bool
	// single is how many times it still hands out without a block.
	single int
}

const (
	// block is small enough not to matter for an owner that makes a few.
	block = 32
	// keeps is how many blocks are kept for the next run: more than a schedule
	// needs. A long run gets further blocks, which the arena forgets, so that what
	// is not in use any more does not fill the memory.
	keeps = 64
	// singles is how often the arena of a clone hands out before it takes a block: most
	// clones live for one step, which needs less than a block.
	singles = 4
)

// New returns a zero value.
func (a *Arena[T]) New() *T { return &a.Take(1)[0] }

// Take returns n zero values side by side.
func (a *Arena[T]) Take(n int) []T {
	if n > len(a.free) {
		if n > block {
			return make([]T, n)
		}
		if a.single > 0 {
			a.single--
			return make([]T, n)
		}
		a.free = a.next()
	}
	out := a.free[:n:n]
	a.free = a.free[n:]
	return out
}

// next is another block, from an earlier run if there is one.
func (a *Arena[T]) next() []T {
	switch {
	case a.used < len(a.blocks):
		clear(a.blocks[a.used])
	case a.used < keeps:
		a.blocks = append(a.blocks, make([]T, block))
	default:
		return make([]T, block)
	}
	a.used++
	return a.blocks[a.used-1]
}

// Rewind hands everything out again: what was handed out before is overwritten,
// but for what a clone uses.
func (a *Arena[T]) Rewind() {
	if a.shared {
		*a = Arena[T]{}
		return
	}
	a.used, a.free = 0, nil
}

// Clone returns an arena for the clone of an owner, which goes on using what this
// one handed out.
func (a *Arena[T]) Clone() Arena[T] {
	a.shared = true
	return Arena[T]{single: singles}
}

// Next makes a list of places one longer: by the place that an earlier run had there, or a new one of that number.
func Next[T any](list *[]*T, place func(n int) *T) *T {
	n := len(*list)
	if n < cap(*list) {
		*list = (*list)[:n+1]
	} else {
		*list = append(*list, nil)
	}
	if (*list)[n] == nil {
		(*list)[n] = place(n)
	}
	return (*list)[n]
}

// Count is how many of a list are so.
func Count[T any](list []*T, so func(*T) bool) (n int) {
	for _, x := range list {
		if so(x) {
			n++
		}
	}
	return n
}

// Queue is a queue that keeps its memory: what is in a Go channel, or in a slice that is appended to, upstream.
//
// It is empty at first. Its owner knows the capacity, if there is one. It
// moves what is in it to the front before it grows, so a queue that is never
// empty still ends up with enough memory.
type Queue[T any] struct {
	items []T
	// space is the memory that items are in, from its beginning on. It is empty.
	space []T `cell:"-"`
	// taken is how many were in the queue before the first one.
	taken int64 `cell:"-"`
}

// First is the running number of the first one in the queue, or of the next one
// to come if the queue is empty. The very first one of a queue has number 1.
func (q *Queue[T]) First() int64 { return q.taken + 1 }

// Next is the running number of the next one that Push adds.
func (q *Queue[T]) Next() int64 { return q.taken + int64(q.Len()) + 1 }

// Len is how many are in the queue.
func (q *Queue[T]) Len() int { return len(q.items) }

// All lists what is in the queue; the caller must not change it.
func (q *Queue[T]) All() []T { return q.items }

// Push adds one at the end.
func (q *Queue[T]) Push(v T) {
	if n := len(q.items); n == cap(q.items) && n < cap(q.space) {
		q.items = append(q.space, q.items...)
		clear(q.space[n:cap(q.space)])
	}
	q.items = append(q.items, v)
	if cap(q.items) > cap(q.space) {
		q.space = q.items[:0]
	}
}

// Pop takes the first one; there must be one.
func (q *Queue[T]) Pop() T {
	var none T
	v := q.items[0]
	q.items[0] = none
	q.items = q.items[1:]
	q.taken++
	if len(q.items) == 0 {
		q.items = q.space
	}
	return v
}

// Clear empties the queue. Running numbers go on.
func (q *Queue[T]) Clear() {
	q.taken += int64(q.Len())
	clear(q.items)
	q.items = q.space
}
