package state

import (
	"reflect"
	"unsafe"

	"github.com/watchbed/watchbed/sim"
)

// Cell makes one cell of a struct, in which it comes first. The struct is embedded: once a step has declared its use,
// the fields are those of the owner.
//
//	type turn struct {
//		state.Cell[turn] `cell:"cache: a read's turn"`
//		woken, expired   bool
//	}
type Cell[T any] struct{ place }

func (c *Cell[T]) value() *T { return (*T)(unsafe.Pointer(c)) }

// Read reads the value.
func (c *Cell[T]) Read(env *sim.Env) *T {
	if env.Recording() {
		c.read(env)
	}
	return c.value()
}

// Look is Var.Look.
func (c *Cell[T]) Look(env *sim.Env) *T {
	if env.Recording() {
		c.look(env)
	}
	return c.value()
}

// Change is Var.Change.
func (c *Cell[T]) Change(env *sim.Env) *T {
	if env.Recording() {
		c.write(env)
	}
	return c.value()
}

// ReadItem is Var.ReadItem.
func (c *Cell[T]) ReadItem(env *sim.Env, item int64) *T {
	env.ReadsItem(c.kind, int(c.index), item)
	return c.value()
}

// ChangeItem is Var.ChangeItem.
func (c *Cell[T]) ChangeItem(env *sim.Env, item int64) *T {
	env.WritesItem(c.kind, int(c.index), item)
	return c.value()
}

// Zero makes the value a new one.
func (c *Cell[T]) Zero() {
	at, x := c.place, c.value()
	var none T
	*x = none
	c.place = at
}

func (c *Cell[T]) contents() (reflect.Type, unsafe.Pointer) {
	return reflect.TypeFor[T](), unsafe.Pointer(c)
}

func (c *Cell[T]) empties() func(p unsafe.Pointer) {
	type clears interface{ Clear() }
	if _, keeps := any(new(T)).(clears); keeps {
		return func(p unsafe.Pointer) {
			at := (*Cell[T])(p).place
			any((*T)(p)).(clears).Clear()
			(*Cell[T])(p).place = at
		}
	}
	return func(p unsafe.Pointer) { (*Cell[T])(p).Zero() }
}
