package state

import (
	"iter"
	"reflect"
	"unsafe"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/arena"
)

// Places are values by number, each with cells of its own, which have the number as their index. Their own cell is how
// many there are. Their memory is kept.
type Places[T any] struct {
	place
	// of is known to Layout by where it is.
	of  *fields
	all []*T
	// made is how many Free has made.
	made int
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
	env.Writes(p.kind, int(p.index))
	if x == nil {
		x = arena.Next(&p.all, func(n int) *T { return p.newPlace(n, first) })
		p.made = len(p.all)
	}
	return x
}

// Reach is the place of a number that the caller gives, which has a cell of its own for how many there are.
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

// Look is all places, only to see what there is (sim.Env.LooksAt).
func (p *Places[T]) Look(env *sim.Env) []*T {
	env.LooksAt(p.kind, int(p.index))
	return p.all
}

// Forget writes all cells of a place and clears them.
func (p *Places[T]) Forget(env *sim.Env, x *T) {
	env.LooksAt(p.kind, int(p.index))
	p.of.write(env, unsafe.Pointer(x))
	p.of.clear(unsafe.Pointer(x))
}

// All is Var.Value.
func (p *Places[T]) All() []*T { return p.all }

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

// Digest implements Digester.
func (p *Places[T]) Digest(d sim.Digest) sim.Digest { return d.Int(int64(p.made)) }

func (p *Places[T]) own() {
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
	return func(at unsafe.Pointer) {
		p := (*Places[T])(at)
		for _, x := range p.all {
			p.of.clear(unsafe.Pointer(x))
		}
		p.all, p.made = p.all[:0], 0
	}
}

func (p *Places[T]) inside() reflect.Type { return reflect.TypeFor[T]() }

func (p *Places[T]) visit(visit func(x unsafe.Pointer)) {
	for x := range p.Used() {
		visit(unsafe.Pointer(x))
	}
}
