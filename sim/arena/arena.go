// Package arena hands out values from blocks, so that most of them cost no
// allocation of their own.
//
// It must never import anything of this module.
package arena

// Arena hands out zero values. Its zero value is ready for use.
type Arena[T any] struct {
	blocks [][]T
	// used is the number of blocks in use, free what is left of the last one.
	used int
	free []T
}

const (
	// block is small enough not to matter for an owner that makes a few.
	block = 32
	// keeps is how many blocks are kept for the next run: more than a schedule
	// needs, less than a long run leaves behind.
	keeps = 64
)

// New returns a zero value.
func (a *Arena[T]) New() *T { return &a.Take(1)[0] }

// Take returns n zero values side by side.
func (a *Arena[T]) Take(n int) []T {
	if n > len(a.free) {
		if n > block {
			return make([]T, n)
		}
		if a.used == len(a.blocks) {
			a.blocks = append(a.blocks, make([]T, block))
		} else {
			clear(a.blocks[a.used])
		}
		a.free = a.blocks[a.used]
		a.used++
	}
	out := a.free[:n:n]
	a.free = a.free[n:]
	return out
}

// Rewind hands everything out again: what was handed out before is overwritten.
func (a *Arena[T]) Rewind() {
	if len(a.blocks) > keeps {
		clear(a.blocks[keeps:])
		a.blocks = a.blocks[:keeps]
	}
	a.used, a.free = 0, nil
}
