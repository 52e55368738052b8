// Package intern gives small numbers to what comes again and again, so that a search compares
// numbers in place of what they stand for.
//
// The workers of a search share what is numbered: any number of goroutines read while one adds. A
// reader that does not find what is being added asks again as the one that adds. No run uses it, so
// that nothing that is simulated depends on which goroutine came first.
//
//	Pairs  numbers of pairs
//	List   what has a number, by its number
//	Table  what stands for a pair
//	Lock   what the one has that adds
//
// It must never import anything of this module.
package intern

import (
	"math/bits"
	"reflect"
	"runtime"
	"sync/atomic"
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

// Pairs numbers pairs of numbers, from 1 on, each pair once. A sequence is numbered pair by pair:
// the number of all but its last element, with the last element. So two sequences have one number
// if they are equal, and only then. The first number of a pair is not 0. Its zero value is empty.
type Pairs struct {
	table atomic.Pointer[[]place]
	last  uint32
}

// place is one of a table with open addressing, which is at most half full. The number is there before
// the pair is, and neither changes: who sees the pair sees its number. A pair of 0 is an empty place.
type place struct {
	pair   atomic.Uint64
	number atomic.Uint32
}

// placeBytes is how much memory a place takes.
const placeBytes = 16

const leastPlaces = 1 << 6

// Find is the number of a pair, 0 if it has none. Any number of goroutines may call it.
func (p *Pairs) Find(first, second uint32) uint32 {
	table := p.table.Load()
	if table == nil {
		return 0
	}
	at, known := find(*table, pair(first, second))
	if !known {
		// By now the place may have a number: that of another pair, which is being added.
		return 0
	}
	return at.number.Load()
}

// Number is the number of a pair, a new one if it has none. One goroutine at a time calls it.
func (p *Pairs) Number(first, second uint32) uint32 {
	table := p.table.Load()
	if table == nil || 2*int(p.last) >= len(*table) {
		table = p.grow(table)
	}
	x := pair(first, second)
	at, known := find(*table, x)
	if !known {
		p.last++
		at.number.Store(p.last)
		at.pair.Store(x)
	}
	return at.number.Load()
}

// Last is the greatest number that a pair has: how many pairs there are. It is for the goroutine that
// adds.
func (p *Pairs) Last() uint32 { return p.last }

// Bytes is how much memory the pairs take.
func (p *Pairs) Bytes() int {
	if table := p.table.Load(); table != nil {
		return placeBytes * len(*table)
	}
	return 0
}

func pair(first, second uint32) uint64 { return uint64(first)<<32 | uint64(second) }

// find is where a pair is, or an empty place for it if it is not known.
func find(table []place, x uint64) (at *place, known bool) {
	mask := uint64(len(table) - 1)
	for i := x * 0x9e3779b97f4a7c15 >> 32 & mask; ; i = (i + 1) & mask {
		at = &table[i]
		if y := at.pair.Load(); y == x || y == 0 {
			return at, y == x
		}
	}
}

// grow goes on with a larger table. Readers of the smaller one find what it had.
func (p *Pairs) grow(before *[]place) *[]place {
	n := leastPlaces
	if before != nil {
		n = 2 * len(*before)
	}
	larger := make([]place, n)
	if before != nil {
		for i := range *before {
			if x := (*before)[i].pair.Load(); x != 0 {
				at, _ := find(larger, x)
				at.number.Store((*before)[i].number.Load())
				at.pair.Store(x)
			}
		}
	}
	p.table.Store(&larger)
	return &larger
}

// Table has something for each pair of numbers. Pairs are numbered from 1 on, as Pairs does. Its zero value is empty.
type Table[T any] struct {
	pairs Pairs
	list  List[T]
}

// Find is the number of a pair, 0 if it has none. Any number of goroutines may call it.
func (t *Table[T]) Find(first, second uint32) uint32 { return t.pairs.Find(first, second) }

// Number is the number of a pair, a new one if it has none: what it stands for is there, zero at first, before its
// number is known. One goroutine at a time calls it.
func (t *Table[T]) Number(first, second uint32) uint32 {
	t.list.Reach(t.pairs.Last() + 1)
	return t.pairs.Number(first, second)
}

// Add is Number of a new pair, which stands for this.
func (t *Table[T]) Add(first, second uint32, x T) {
	next := t.pairs.Last() + 1
	t.list.Reach(next)
	*t.list.At(next) = x
	t.pairs.Number(first, second)
}

// At is what a number stands for.
func (t *Table[T]) At(number uint32) *T { return t.list.At(number) }

// Len is how many pairs there are. It is for the goroutine that adds.
func (t *Table[T]) Len() int { return int(t.pairs.Last()) }

// Bytes is how much memory the table takes, without what it points to.
func (t *Table[T]) Bytes() int { return t.pairs.Bytes() + t.list.Bytes() }

// Lock is what the worker has that adds, for some microseconds. Another one that wants it looks again and
// again: to have its thread sleep and be woken, as sync.Mutex does, makes a search on two idle cores last 54 s
// in place of 38. Its zero value is free.
type Lock struct{ held atomic.Bool }

// looks is how often a worker looks before it lets another goroutine run.
const looks = 1 << 10

// Lock takes it, when it is free.
func (l *Lock) Lock() {
	for {
		for range looks {
			if !l.held.Load() && l.held.CompareAndSwap(false, true) {
				return
			}
		}
		runtime.Gosched()
	}
}

// Unlock frees it.
func (l *Lock) Unlock() { l.held.Store(false) }
