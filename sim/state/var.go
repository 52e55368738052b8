// Package state (unstable) is the state of a node, in types that record themselves: to use a value
// declares to the world what the step reads and writes (sim.Cell).
//
//	type loop struct {
//		rev   state.Var[int64]      `cell:"compactor: rev"`
//		calls state.List[question]  `cell:"compactor: waiting caches"`
//	}
//
//	var layout = state.Of[Compactor]()
//
// A Layout knows the cells of a type from its fields: it gives them their names, clears,
// clones, digests and visits them. A field without a cell is configuration, or a record that
// decides nothing: a clone has it, a fingerprint leaves it out. So it does with a field of a
// value that has the tag `cell:"-"`.
//
// Values that come and go, such as watches, are in Places: each has its number and cells of its own. A Map has values
// by number that share a cell; a Chan is a Go channel between two loops. A Cell makes one of a struct that is embedded.
//
// The package imports sim and sim/arena, and must never import anything else of this module.
package state

import (
	"reflect"
	"unsafe"

	"github.com/watchbed/watchbed/sim"
)

// place is the name of a cell in its node.
type place struct {
	kind  sim.CellKind
	index int32
}

// They are not inlined, so that the methods which ask whether cells are recorded are.

//go:noinline
func (p *place) read(env *sim.Env) { env.Read(p.kind, int(p.index)) }

//go:noinline
func (p *place) look(env *sim.Env) { env.LookAt(p.kind, int(p.index)) }

//go:noinline
func (p *place) write(env *sim.Env) { env.Write(p.kind, int(p.index)) }

// Var is one value, or several that are used together.
type Var[T any] struct {
	place
	x T
}

// Get reads the value.
func (v *Var[T]) Get(env *sim.Env) T {
	if env.Recording() {
		v.read(env)
	}
	return v.x
}

// Read reads the value where it is.
func (v *Var[T]) Read(env *sim.Env) *T {
	if env.Recording() {
		v.read(env)
	}
	return &v.x
}

// Look reads the value only to see whether there is something to do: a story does not
// follow it (sim.Env.LookAt).
func (v *Var[T]) Look(env *sim.Env) *T {
	if env.Recording() {
		v.look(env)
	}
	return &v.x
}

// Set writes the value.
func (v *Var[T]) Set(env *sim.Env, x T) {
	if env.Recording() {
		v.write(env)
	}
	v.x = x
}

// Change writes a part of the value, or a value that depends on the one before.
func (v *Var[T]) Change(env *sim.Env) *T {
	if env.Recording() {
		v.write(env)
	}
	return &v.x
}

// ReadItem reads one entry of the value (sim.Cell).
func (v *Var[T]) ReadItem(env *sim.Env, item int64) *T {
	env.ReadItem(v.kind, int(v.index), item)
	return &v.x
}

// ChangeItem writes one entry of the value.
func (v *Var[T]) ChangeItem(env *sim.Env, item int64) *T {
	env.WriteItem(v.kind, int(v.index), item)
	return &v.x
}

// Value is the value for those that are no step, such as judges, and for a step that has declared
// its use already.
func (v *Var[T]) Value() *T { return &v.x }

func (v *Var[T]) contents() (reflect.Type, unsafe.Pointer) {
	return reflect.TypeFor[T](), unsafe.Pointer(&v.x)
}

func (v *Var[T]) empties() func(p unsafe.Pointer) {
	type clears interface{ Clear() }
	if _, keeps := any(&v.x).(clears); keeps {
		return func(p unsafe.Pointer) { any(&(*Var[T])(p).x).(clears).Clear() }
	}
	return func(p unsafe.Pointer) {
		var none T
		(*Var[T])(p).x = none
	}
}

// Kind is the kind of the cell.
func (p *place) Kind() sim.CellKind { return p.kind }

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
	env.ReadItem(c.kind, int(c.index), item)
	return c.value()
}

// ChangeItem is Var.ChangeItem.
func (c *Cell[T]) ChangeItem(env *sim.Env, item int64) *T {
	env.WriteItem(c.kind, int(c.index), item)
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
