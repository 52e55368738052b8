package state

import (
	"iter"
	"reflect"
	"unsafe"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/arena"
)

// Places are values by number, each with cells of its own, which have the number as their index. Their own cell is
// which are free. A fingerprint has those that are not, which have cells, and how many are free if the field has the
// tag `free:"counted"`. Their memory is kept.
type Places[T any] struct {
	place
	// of is known to Layout by where it is.
	of  *fields
	all []*T
}

// Placed is a value that has a place. A free one has no cells.
type Placed interface{ Free() bool }

func isFree[T any](x *T) bool { return any(x).(Placed).Free() }

// Free writes which places there are, and returns the first free one: it makes one more if there is none.
func (p *Places[T]) Free(env *sim.Env, first func(number int) T) *T {
	for _, x := range p.all {
		if isFree(x) {
			return p.Take(env, x, first)
		}
	}
	return p.Take(env, nil, first)
}

// Take does the same for a free place that the caller has chosen, nil if there is none.
func (p *Places[T]) Take(env *sim.Env, x *T, first func(number int) T) *T {
	env.Write(p.kind, int(p.index))
	if x == nil {
		x = arena.Next(&p.all, func(n int) *T { return p.newPlace(n, first) })
	}
	return x
}

// Reach is the place of a number that the caller gives, which has a cell of its own for which are free.
func (p *Places[T]) Reach(number int, first func(number int) T) *T {
	for number >= len(p.all) {
		arena.Next(&p.all, func(n int) *T { return p.newPlace(n, first) })
	}
	return p.all[number]
}

func (p *Places[T]) newPlace(n int, first func(number int) T) *T {
	x := first(n)
	p.of.name(unsafe.Pointer(&x), n)
	return &x
}

// At is the place of a number.
func (p *Places[T]) At(number int) *T { return p.all[number] }

// Change writes which places there are.
func (p *Places[T]) Change(env *sim.Env) { env.Write(p.kind, int(p.index)) }

// Look is all places, only to see what there is (sim.Env.LookAt).
func (p *Places[T]) Look(env *sim.Env) []*T {
	env.LookAt(p.kind, int(p.index))
	return p.all
}

// Write declares that all cells of a place change.
func (p *Places[T]) Write(env *sim.Env, x *T) { p.of.write(env, unsafe.Pointer(x)) }

// Forget writes all cells of a place and clears them.
func (p *Places[T]) Forget(env *sim.Env, x *T) {
	p.Change(env)
	p.Clear(env, x)
}

// Clear is Forget where a cell of the place says whether it is free.
func (p *Places[T]) Clear(env *sim.Env, x *T) {
	p.Write(env, x)
	p.of.clear(unsafe.Pointer(x))
}

// All is Var.Value.
func (p *Places[T]) All() []*T { return p.all }

// Len is how many are not free.
func (p *Places[T]) Len() (n int) {
	for range p.Used() {
		n++
	}
	return n
}

// Used are the places that are not free.
func (p *Places[T]) Used() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for _, x := range p.all {
			if !isFree(x) && !yield(x) {
				return
			}
		}
	}
}

func (p *Places[T]) Digest(d sim.Digest) sim.Digest { return d }

// Reset forgets all.
func (p *Places[T]) Reset() {
	for x := range p.Used() {
		p.of.clear(unsafe.Pointer(x))
	}
	p.all = p.all[:0]
}

func (p *Places[T]) Own() {
	all, block := make([]*T, len(p.all)), make([]T, len(p.all))
	for i, x := range p.all {
		block[i], all[i] = *x, &block[i]
		p.of.own(unsafe.Pointer(all[i]))
	}
	p.all = all
}

func (p *Places[T]) contents() (reflect.Type, unsafe.Pointer) {
	return reflect.TypeFor[Places[T]](), unsafe.Pointer(p)
}

func (p *Places[T]) empties() func(p unsafe.Pointer) {
	return func(at unsafe.Pointer) { (*Places[T])(at).Reset() }
}

func (p *Places[T]) count(d sim.Digest) sim.Digest { return d.Int(int64(len(p.all))) }

func (p *Places[T]) inside() reflect.Type { return reflect.TypeFor[T]() }

func (p *Places[T]) visit(visit func(x unsafe.Pointer)) {
	for x := range p.Used() {
		visit(unsafe.Pointer(x))
	}
}
