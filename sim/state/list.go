package state

import (
	"iter"
	"reflect"
	"unsafe"

	"github.com/watchbed/watchbed/sim"
)

// List is values in an order.
type List[T any] struct {
	place
	all []T
}

// Numbered is a value that is an item of its own in its cell (sim.Cell): others are found
// together with the rest of the list.
type Numbered interface{ Item() int64 }

func (l *List[T]) item(x *T) int64 {
	if n, ok := any(x).(Numbered); ok {
		return n.Item()
	}
	return 0
}

// Add writes one more value at the end.
func (l *List[T]) Add(env *sim.Env, x T) {
	if env.Recording() {
		l.writes(env, x)
	}
	l.all = append(l.all, x)
}

// writes is not inlined: item takes an address, which would have each x of Add in the heap.
//
//go:noinline
func (l *List[T]) writes(env *sim.Env, x T) { env.WritesItem(l.kind, int(l.index), l.item(&x)) }

// Take takes out the values that match, one after another. To look for them reads which
// values there are (sim.Env.LooksAt).
func (l *List[T]) Take(env *sim.Env, match func(x *T) bool) iter.Seq[T] {
	return func(yield func(T) bool) {
		env.LooksAt(l.kind, int(l.index))
		kept, on := l.all[:0], true
		for i, x := range l.all {
			if !on || !match(&l.all[i]) {
				kept = append(kept, x)
				continue
			}
			if env.Recording() {
				env.ReadsItem(l.kind, int(l.index), l.item(&x))
				env.WritesItem(l.kind, int(l.index), l.item(&x))
			}
			on = yield(x)
		}
		clear(l.all[len(kept):])
		l.all = kept
	}
}

// Delete takes out the values that match.
func (l *List[T]) Delete(env *sim.Env, match func(x *T) bool) {
	for range l.Take(env, match) {
	}
}

func (l *List[T]) contents() (reflect.Type, unsafe.Pointer) {
	return reflect.TypeFor[[]T](), unsafe.Pointer(&l.all)
}
