package state

import (
	"fmt"

	"github.com/watchbed/watchbed/sim"
)

// place is the name of a cell in its node.
type place struct {
	kind  sim.CellKind
	index int32
}

// Var is one value.
type Var[T any] struct {
	place
	x T
}

// Get reads the value.
func (v *Var[T]) Get(env *sim.Env) T {
	env.Reads(v.kind, int(v.index))
	return v.x
}

// Look reads the value only to see whether there is something to do: a story does not
// follow it (sim.Env.LooksAt).
func (v *Var[T]) Look(env *sim.Env) T {
	env.LooksAt(v.kind, int(v.index))
	return v.x
}

// Set writes the value.
func (v *Var[T]) Set(env *sim.Env, x T) {
	env.Writes(v.kind, int(v.index))
	v.x = x
}

// Change writes a part of the value, or a value that depends on the one before.
func (v *Var[T]) Change(env *sim.Env) *T {
	env.Writes(v.kind, int(v.index))
	return &v.x
}

// Value is the value for those that are no step: judges, names of loops, pages.
func (v *Var[T]) Value() T { return v.x }

func (v *Var[T]) reset(_ recorded, k sim.CellKind, index int32) { *v = Var[T]{place: place{k, index}} }

func (v *Var[T]) own() {}

func (v *Var[T]) visit(visit sim.CellVisitor) {
	visit(v.kind, int(v.index), digest(sim.NewDigest, &v.x))
}

// Digester is a value of several fields.
type Digester interface {
	Digest(d sim.Digest) sim.Digest
}

// digest mixes in a value. The number of a connection depends on the past and is no state: it
// counts whether there is one.
func digest(d sim.Digest, x any) sim.Digest {
	switch x := x.(type) {
	case Digester:
		return x.Digest(d)
	case *int64:
		return d.Int(*x)
	case *int:
		return d.Int(int64(*x))
	case *uint64:
		return d.Word(*x)
	case *bool:
		return d.Bool(*x)
	case *string:
		return d.Text(*x)
	case *sim.Time:
		return d.Int(int64(*x))
	case *sim.Conn:
		return d.Bool(*x != sim.NoConn)
	}
	panic(fmt.Sprintf("state: %T has no method Digest", x))
}
