package intern

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
