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
