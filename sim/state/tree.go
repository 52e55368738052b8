package state

import (
	"github.com/google/btree"

	"github.com/watchbed/watchbed/sim"
)

// Ordered is a value that has a place in a Tree.
type Ordered[T any] interface {
	Digester
	Before(other T) bool
}

// Tree is values in order, each once: often a map upstream. At first it is empty. It is for the
// inside of a Var, which records its use. A copy shares memory with it until one of both changes.
type Tree[T Ordered[T]] struct{ t BTree[any] }

// BTree is btree.BTreeG. Each package that knows a type with a field of a generic type compiles all methods of that
// type anew, so that a field of a btree's own type would have each importer of the simulation compile those of btree.
type BTree[T any] interface {
	Get(T) (T, bool)
	Has(T) bool
	Min() (T, bool)
	Max() (T, bool)
	ReplaceOrInsert(T) (T, bool)
	Delete(T) (T, bool)
	DeleteMin() (T, bool)
	Clear(toFreeList bool)
	Len() int
	Ascend(btree.ItemIteratorG[T])
	AscendGreaterOrEqual(from T, visit btree.ItemIteratorG[T])
	AscendRange(from, to T, visit btree.ItemIteratorG[T])
	DescendLessOrEqual(from T, visit btree.ItemIteratorG[T])
}

// NewBTree is btree.NewG.
func NewBTree[T any](less btree.LessFunc[T]) BTree[T] { return btree.NewG(degree, less) }

// CloneBTree shares the nodes until one of the two changes.
func CloneBTree[T any](t BTree[T]) BTree[T] { return t.(*btree.BTreeG[T]).Clone() }

// newTree and cloneTree are no generic functions: the methods of Tree are compiled anew too, with what they call.
func newTree(before func(x, y any) bool) BTree[any] { return NewBTree(before) }

func cloneTree(t BTree[any]) BTree[any] { return CloneBTree(t) }

// degree suits a handful of keys, which is what schedules are explored with, as well as thousands. It is that of
// upstream's btree store.
const degree = 16

// Put adds a value, or replaces the one in its place.
func (t *Tree[T]) Put(x T) {
	if t.t == nil {
		t.t = newTree(func(x, y any) bool { return x.(T).Before(y.(T)) })
	}
	t.t.ReplaceOrInsert(x)
}

// Get returns the value in a place.
func (t *Tree[T]) Get(x T) (found T, ok bool) {
	if t.t == nil {
		return found, false
	}
	if y, in := t.t.Get(x); in {
		return y.(T), true
	}
	return found, false
}

// Delete takes out the value in a place, if there is one.
func (t *Tree[T]) Delete(x T) {
	if t.t != nil {
		t.t.Delete(x)
	}
}

// Clear takes out all.
func (t *Tree[T]) Clear() {
	if t.t != nil {
		t.t.Clear(true)
	}
}

// Len is how many there are.
func (t *Tree[T]) Len() int {
	if t.t == nil {
		return 0
	}
	return t.t.Len()
}

// Ascend calls visit for all, until it returns false.
func (t *Tree[T]) Ascend(visit func(T) bool) {
	if t.t != nil {
		t.t.Ascend(func(x any) bool { return visit(x.(T)) })
	}
}

// Range does the same for those from a place on, and before another.
func (t *Tree[T]) Range(from, to T, visit func(T) bool) {
	if t.t != nil {
		t.t.AscendRange(from, to, func(x any) bool { return visit(x.(T)) })
	}
}

// Digest implements Digester.
func (t *Tree[T]) Digest(d sim.Digest) sim.Digest {
	d = d.Int(int64(t.Len()))
	t.Ascend(func(x T) bool {
		d = x.Digest(d)
		return true
	})
	return d
}

// Own implements Owner.
func (t *Tree[T]) Own() {
	if t.t != nil {
		t.t = cloneTree(t.t)
	}
}
