package state

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/google/btree"

	"github.com/watchbed/watchbed/sim"
)

// Map is values by a number, such as the id of a watch, in the order in which they came. A zero value is none. The item
// of a value is its number and one, as numbers begin at 0; a number below that has none.
type Map[T comparable] struct {
	place
	all []Entry[T]
}

// Entry is a value with its number.
type Entry[T any] struct {
	Key   int64
	Value T
}

func itemOf(key int64) int64 {
	if key < 0 {
		return sim.NoItem
	}
	return key + 1
}

func (m *Map[T]) find(key int64) int {
	return slices.IndexFunc(m.all, func(e Entry[T]) bool { return e.Key == key })
}

// Value is Var.Value.
func (m *Map[T]) Value(key int64) (x T) {
	if i := m.find(key); i >= 0 {
		x = m.all[i].Value
	}
	return x
}

// Get reads a value.
func (m *Map[T]) Get(env *sim.Env, key int64) T {
	env.ReadItem(m.kind, int(m.index), itemOf(key))
	return m.Value(key)
}

// Look is Var.Look of one value.
func (m *Map[T]) Look(env *sim.Env, key int64) T {
	env.LookAt(m.kind, int(m.index))
	return m.Value(key)
}

// Set writes a value.
func (m *Map[T]) Set(env *sim.Env, key int64, x T) {
	env.WriteItem(m.kind, int(m.index), itemOf(key))
	i, none := m.find(key), *new(T)
	switch {
	case i < 0 && x != none:
		m.all = append(m.all, Entry[T]{key, x})
	case i >= 0 && x == none:
		m.all = slices.Delete(m.all, i, i+1)
	case i >= 0:
		m.all[i].Value = x
	}
}

// Entries are all values, only to see which there are (sim.Env.LookAt). The caller must not change them.
func (m *Map[T]) Entries(env *sim.Env) []Entry[T] {
	env.LookAt(m.kind, int(m.index))
	return m.all
}

// All is Var.Value of all. The caller must not change it.
func (m *Map[T]) All() []Entry[T] { return m.all }

func (m *Map[T]) contents() (reflect.Type, unsafe.Pointer) {
	return reflect.TypeFor[[]Entry[T]](), unsafe.Pointer(&m.all)
}

func (m *Map[T]) empties() func(p unsafe.Pointer) {
	return func(p unsafe.Pointer) { (*Map[T])(p).all = (*Map[T])(p).all[:0] }
}

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

func (t *Tree[T]) Digest(d sim.Digest) sim.Digest {
	d = d.Int(int64(t.Len()))
	t.Ascend(func(x T) bool {
		d = x.Digest(d)
		return true
	})
	return d
}

func (t *Tree[T]) Own() {
	if t.t != nil {
		t.t = cloneTree(t.t)
	}
}
