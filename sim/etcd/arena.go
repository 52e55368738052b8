package etcd

// arena hands out values from blocks, so that most of them cost no allocation
// of their own. What it handed out stays valid and is never handed out again:
// messages outlive the node that made them.
type arena[T any] struct {
	block []T
}

// arenaBlock is small enough not to matter for a server that makes a few.
const arenaBlock = 32

func (a *arena[T]) new() *T {
	return &a.take(1)[0]
}

// take returns n values side by side.
func (a *arena[T]) take(n int) []T {
	if n > len(a.block) {
		if n >= arenaBlock {
			return make([]T, n)
		}
		a.block = make([]T, arenaBlock)
	}
	out := a.block[:n:n]
	a.block = a.block[n:]
	return out
}
