package values

import (
	"reflect"

	"github.com/watchbed/watchbed/sim/arena"
)

// Alike reports, for sim.Parts, whether two nodes or payloads consist of equal values, all
// the way down. Functions are equal if they are the same one. What points to one value in the
// first and to two equal ones in the second is taken for the same: the same code has made both. What
// memory they have in reserve (package arena) makes no difference.
func Alike(a, b any) bool {
	c := comparison{begun: map[pair]bool{}}
	return c.equal(reflect.ValueOf(a), reflect.ValueOf(b))
}

// comparison has the pairs of pointers that it has begun to compare: nodes have cycles.
type comparison struct{ begun map[pair]bool }

type pair [2]uintptr

func (c *comparison) equal(a, b reflect.Value) bool {
	if a.Type() != b.Type() {
		return false
	}
	switch a.Kind() {
	case reflect.Bool:
		return a.Bool() == b.Bool()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return a.Int() == b.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return a.Uint() == b.Uint()
	case reflect.Float32, reflect.Float64:
		return a.Float() == b.Float()
	case reflect.String:
		return a.String() == b.String()
	case reflect.Pointer:
		return c.pointers(a, b)
	case reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() && b.IsNil()
		}
		return c.equal(a.Elem(), b.Elem())
	case reflect.Struct:
		if a.Type().PkgPath() == memory {
			return true
		}
		for i := range a.NumField() {
			if !c.equal(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		return a.Len() == b.Len() && (a.Pointer() == b.Pointer() || c.elements(a, b))
	case reflect.Array:
		return c.elements(a, b)
	case reflect.Map:
		return c.maps(a, b)
	}
	// A function, a channel or an unsafe pointer.
	return a.Pointer() == b.Pointer()
}

// memory is the package of what hands out memory.
var memory = reflect.TypeFor[arena.Arena[byte]]().PkgPath()

func (c *comparison) pointers(a, b reflect.Value) bool {
	if a.Pointer() == b.Pointer() {
		return true
	}
	if a.IsNil() || b.IsNil() {
		return false
	}
	p := pair{a.Pointer(), b.Pointer()}
	if c.begun[p] {
		return true
	}
	c.begun[p] = true
	return c.equal(a.Elem(), b.Elem())
}

func (c *comparison) elements(a, b reflect.Value) bool {
	for i := range a.Len() {
		if !c.equal(a.Index(i), b.Index(i)) {
			return false
		}
	}
	return true
}

func (c *comparison) maps(a, b reflect.Value) bool {
	if a.Len() != b.Len() {
		return false
	}
	for _, k := range a.MapKeys() {
		other := b.MapIndex(k)
		if !other.IsValid() || !c.equal(a.MapIndex(k), other) {
			return false
		}
	}
	return true
}
