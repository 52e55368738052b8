package etcd

// arena hands out zero values from blocks, so that most of them cost no
// allocation of their own.
type arena[T any] struct {
	blocks [][]T
	// used is the number of blocks in use, free what is left of the last one.
	used int
	free []T
}

const (
	// arenaBlock is small enough not to matter for a server that makes a few.
	arenaBlock = 32
	// arenaKeeps is how many blocks are kept for the next run: more than a
	// schedule needs, less than a long run leaves behind.
	arenaKeeps = 64
)

func (a *arena[T]) new() *T {
	return &a.take(1)[0]
}

// take returns n values side by side.
func (a *arena[T]) take(n int) []T {
	if n > len(a.free) {
		if n > arenaBlock {
			return make([]T, n)
		}
		if a.used == len(a.blocks) {
			a.blocks = append(a.blocks, make([]T, arenaBlock))
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

// rewind hands everything out again.
func (a *arena[T]) rewind() {
	if len(a.blocks) > arenaKeeps {
		clear(a.blocks[arenaKeeps:])
		a.blocks = a.blocks[:arenaKeeps]
	}
	a.used, a.free = 0, nil
}
