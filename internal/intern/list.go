package intern

import (
	"math/bits"
	"reflect"
)

// List has something for each number from 0 on. Nothing in it ever moves, so that a goroutine that was
// told a number reads what it stands for while another one adds. Its zero value is empty.
type List[T any] struct {
	// blocks are each twice as large as the one before it.
	blocks [32 - leastBits][]T
	count  int
}

const leastBits = 6

// where is the block of a number, and its place in there.
func where(number uint32) (block, at int) {
	n := uint64(number) + 1<<leastBits
	block = bits.Len64(n) - 1 - leastBits
	return block, int(n - 1<<(block+leastBits))
}

// At is what a number stands for. Any number of goroutines may call it with numbers that were made
// known to them after they were added.
func (l *List[T]) At(number uint32) *T {
	block, at := where(number)
	return &l.blocks[block][at]
}

// Add adds one at the end, and returns its number. One goroutine at a time calls it.
func (l *List[T]) Add(x T) uint32 {
	n := uint32(l.count)
	l.Reach(n)
	*l.At(n) = x
	return n
}

// Reach has there be something for all numbers up to this one, zero at first. One goroutine at a time
// calls it.
func (l *List[T]) Reach(number uint32) {
	last, _ := where(number)
	for i := last; i >= 0 && l.blocks[i] == nil; i-- {
		l.blocks[i] = make([]T, 1<<(i+leastBits))
	}
	l.count = max(l.count, int(number)+1)
}

// Len is how many numbers there are. It is for the goroutine that adds.
func (l *List[T]) Len() int { return l.count }

// Bytes is how much memory the list takes, without what it points to.
func (l *List[T]) Bytes() int {
	n := 0
	for _, b := range l.blocks {
		n += len(b)
	}
	return n * int(reflect.TypeFor[T]().Size())
}
