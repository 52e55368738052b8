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
func (p *place) read(env *sim.Env) { env.Reads(p.kind, int(p.index)) }

//go:noinline
func (p *place) look(env *sim.Env) { env.LooksAt(p.kind, int(p.index)) }

//go:noinline
func (p *place) write(env *sim.Env) { env.Writes(p.kind, int(p.index)) }

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
// follow it (sim.Env.LooksAt).
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
	env.ReadsItem(v.kind, int(v.index), item)
	return &v.x
}

// ChangeItem writes one entry of the value.
func (v *Var[T]) ChangeItem(env *sim.Env, item int64) *T {
	env.WritesItem(v.kind, int(v.index), item)
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
