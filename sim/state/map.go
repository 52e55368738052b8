package state

import (
	"reflect"
	"slices"
	"unsafe"

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
	env.ReadsItem(m.kind, int(m.index), itemOf(key))
	return m.Value(key)
}

// Look is Var.Look of one value.
func (m *Map[T]) Look(env *sim.Env, key int64) T {
	env.LooksAt(m.kind, int(m.index))
	return m.Value(key)
}

// Set writes a value.
func (m *Map[T]) Set(env *sim.Env, key int64, x T) {
	env.WritesItem(m.kind, int(m.index), itemOf(key))
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

// Entries are all values, only to see which there are (sim.Env.LooksAt). The caller must not change them.
func (m *Map[T]) Entries(env *sim.Env) []Entry[T] {
	env.LooksAt(m.kind, int(m.index))
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
