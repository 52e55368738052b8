package state

import (
	"reflect"
	"unsafe"

	"github.com/watchbed/watchbed/sim"
)

// connsFunc visits the connections in a value. It is nil for a type that has none.
type connsFunc func(p unsafe.Pointer, visit func(sim.Conn))

// connsOf is of what digestOf digests field by field.
func connsOf(t reflect.Type) connsFunc {
	switch {
	case t.Implements(digester), reflect.PointerTo(t).Implements(digester):
		return nil
	case t == connType:
		return func(p unsafe.Pointer, visit func(sim.Conn)) { visit(*(*sim.Conn)(p)) }
	case t.Kind() == reflect.Slice:
		each, size := connsOf(t.Elem()), t.Elem().Size()
		if each == nil {
			return nil
		}
		return func(p unsafe.Pointer, visit func(sim.Conn)) {
			s := *(*[]byte)(p)
			for i := range uintptr(len(s)) {
				each(unsafe.Add(unsafe.Pointer(unsafe.SliceData(s)), i*size), visit)
			}
		}
	case t.Kind() == reflect.Struct:
		return connsOfStruct(t)
	}
	return nil
}

func connsOfStruct(t reflect.Type) connsFunc {
	var all []connsFunc
	var at []uintptr
	for i := range t.NumField() {
		f := t.Field(i)
		if !isState(f) {
			continue
		}
		if conns := connsOf(f.Type); conns != nil {
			all, at = append(all, conns), append(at, f.Offset)
		}
	}
	if all == nil {
		return nil
	}
	return func(p unsafe.Pointer, visit func(sim.Conn)) {
		for i, conns := range all {
			conns(unsafe.Add(p, at[i]), visit)
		}
	}
}
