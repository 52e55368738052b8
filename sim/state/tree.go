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
type Tree[T Ordered[T]] struct{ t *btree.BTreeG[T] }

// degree is about what a node of the tree has.
const degree = 16

// Put adds a value, or replaces the one in its place.
func (t *Tree[T]) Put(x T) {
	if t.t == nil {
		t.t = btree.NewG(degree, T.Before)
	}
	t.t.ReplaceOrInsert(x)
}

// Get returns the value in a place.
func (t *Tree[T]) Get(x T) (found T, ok bool) {
	if t.t == nil {
		return found, false
	}
	return t.t.Get(x)
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
		t.t.Ascend(visit)
	}
}

// Range does the same for those from a place on, and before another.
func (t *Tree[T]) Range(from, to T, visit func(T) bool) {
	if t.t != nil {
		t.t.AscendRange(from, to, visit)
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

func (t *Tree[T]) own() {
	if t.t != nil {
		t.t = t.t.Clone()
	}
}
