// Package values (unstable) looks at nodes and messages as they are in memory, whatever their
// types: whether two of them consist of the same, and how much memory they take.
//
// The package imports sim/arena, whose memory in reserve it leaves out. It must never import what
// is simulated.
package values

import (
	"reflect"
	"strings"
	"unsafe"

	"github.com/google/btree"

	"github.com/watchbed/watchbed/sim/arena"
)

// Alike returns a function that reports, whether two nodes or payloads consist of equal
// values, all the way down. Functions are equal if they are the same one. What points to one value in the
// first and to two equal ones in the second is taken for the same: the same code has made both. What
// memory they have in reserve (package arena), and which trees use it, makes no difference. The function is
// for one goroutine at a time. Another one may clone what is compared meanwhile.
func Alike() func(a, b any) bool {
	c := &comparison{types: map[reflect.Type]*comparer{}, begun: map[pair]struct{}{}}
	return func(a, b any) bool {
		clear(c.begun)
		return c.interfaces(reflect.ValueOf(a), reflect.ValueOf(b))
	}
}

// comparison has how values of each type are compared, and the pairs of pointers that it has begun to
// compare: nodes have cycles.
type comparison struct {
	types map[reflect.Type]*comparer
	begun map[pair]struct{}
}

type pair [2]unsafe.Pointer

// comparer compares two values of one type where they are in memory. A search compares some 10,000 nodes a
// second, which package reflect alone would take most of its time for.
type comparer struct {
	equal func(a, b unsafe.Pointer) bool
}

// of is how values of a type are compared. That of a type which contains itself is there before it is
// complete.
func (c *comparison) of(t reflect.Type) *comparer {
	known := c.types[t]
	if known == nil {
		known = &comparer{}
		c.types[t] = known
		known.equal = c.make(t)
	}
	return known
}

func (c *comparison) make(t reflect.Type) func(a, b unsafe.Pointer) bool {
	switch {
	case isMemory(t):
		return func(_, _ unsafe.Pointer) bool { return true }
	case isPlain(t):
		return bytesAlike(t.Size())
	}
	switch t.Kind() {
	case reflect.String:
		return func(a, b unsafe.Pointer) bool { return *(*string)(a) == *(*string)(b) }
	case reflect.Pointer:
		of := c.of(t.Elem())
		return func(a, b unsafe.Pointer) bool {
			return c.pointers(*(*unsafe.Pointer)(a), *(*unsafe.Pointer)(b), of)
		}
	case reflect.Struct:
		return c.structs(t)
	case reflect.Slice:
		return c.slices(t)
	case reflect.Array:
		elements, n := c.elements(t.Elem()), t.Len()
		return func(a, b unsafe.Pointer) bool { return elements(a, b, n) }
	case reflect.Interface:
		return func(a, b unsafe.Pointer) bool {
			// The same type, and the same place of the value.
			if *(*pair)(a) == *(*pair)(b) {
				return true
			}
			return c.interfaces(reflect.NewAt(t, a).Elem().Elem(), reflect.NewAt(t, b).Elem().Elem())
		}
	case reflect.Map:
		return func(a, b unsafe.Pointer) bool { return c.maps(reflect.NewAt(t, a).Elem(), reflect.NewAt(t, b).Elem()) }
	}
	// A number with a fraction, of which two may be equal and differ in memory, or not be equal to itself;
	// a function, a channel.
	return func(a, b unsafe.Pointer) bool {
		x, y := reflect.NewAt(t, a).Elem(), reflect.NewAt(t, b).Elem()
		if x.CanFloat() {
			return x.Float() == y.Float()
		}
		return x.Pointer() == y.Pointer()
	}
}

// structs compares field by field, those in one piece that are side by side and plain.
func (c *comparison) structs(t reflect.Type) func(a, b unsafe.Pointer) bool {
	type field struct {
		at uintptr
		of *comparer
	}
	var fields []field
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		if after := plainFrom(t, i); after > i {
			fields = append(fields, field{f.Offset, &comparer{bytesAlike(end(t, after-1) - f.Offset)}})
			i = after - 1
			continue
		}
		fields = append(fields, field{f.Offset, c.of(f.Type)})
	}
	return func(a, b unsafe.Pointer) bool {
		for i := range fields {
			f := &fields[i]
			if !f.of.equal(unsafe.Add(a, f.at), unsafe.Add(b, f.at)) {
				return false
			}
		}
		return true
	}
}

func (c *comparison) slices(t reflect.Type) func(a, b unsafe.Pointer) bool {
	elements := c.elements(t.Elem())
	return func(a, b unsafe.Pointer) bool {
		// All slices have the same header.
		x, y := *(*[]byte)(a), *(*[]byte)(b)
		first, other := unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(unsafe.SliceData(y))
		return len(x) == len(y) && (first == other || elements(first, other, len(x)))
	}
}

// elements compares so many values that are side by side.
func (c *comparison) elements(t reflect.Type) func(a, b unsafe.Pointer, n int) bool {
	of, size := c.of(t), t.Size()
	if isPlain(t) {
		return func(a, b unsafe.Pointer, n int) bool { return sameBytes(a, b, uintptr(n)*size) }
	}
	return func(a, b unsafe.Pointer, n int) bool {
		for i := range uintptr(n) {
			if !of.equal(unsafe.Add(a, i*size), unsafe.Add(b, i*size)) {
				return false
			}
		}
		return true
	}
}

func (c *comparison) pointers(a, b unsafe.Pointer, of *comparer) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil {
		return false
	}
	p := pair{a, b}
	if _, begun := c.begun[p]; begun {
		return true
	}
	c.begun[p] = struct{}{}
	return of.equal(a, b)
}

// interfaces compares what interfaces hold. Nothing has no type.
func (c *comparison) interfaces(a, b reflect.Value) bool {
	if !a.IsValid() || !b.IsValid() {
		return a.IsValid() == b.IsValid()
	}
	if a.Type() != b.Type() {
		return false
	}
	if a.Kind() == reflect.Pointer {
		return c.pointers(a.UnsafePointer(), b.UnsafePointer(), c.of(a.Type().Elem()))
	}
	return c.of(a.Type()).equal(placed(a), placed(b))
}

// placed is where a copy of a value is.
func placed(v reflect.Value) unsafe.Pointer {
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return p.UnsafePointer()
}

func (c *comparison) maps(a, b reflect.Value) bool {
	if a.Len() != b.Len() {
		return false
	}
	of := c.of(a.Type().Elem())
	for _, k := range a.MapKeys() {
		other := b.MapIndex(k)
		if !other.IsValid() || !of.equal(placed(a.MapIndex(k)), placed(other)) {
			return false
		}
	}
	return true
}

// isMemory reports whether a type says where memory comes from, and nothing of what a node will do: an
// arena, and the mark by which a tree knows which of its nodes it may change. To clone a tree changes its
// mark.
func isMemory(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		return t.Elem().PkgPath() == trees && strings.HasPrefix(t.Elem().Name(), "copyOnWriteContext[")
	}
	return t.PkgPath() == arenas
}

var (
	arenas = reflect.TypeFor[arena.Arena[byte]]().PkgPath()
	trees  = reflect.TypeFor[btree.BTreeG[byte]]().PkgPath()
)

// isPlain reports whether values of a type are equal if and only if all their bytes are.
func isPlain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return true
	case reflect.Array:
		return isPlain(t.Elem())
	case reflect.Struct:
		return t.NumField() > 0 && plainFrom(t, 0) == t.NumField() && end(t, t.NumField()-1) == t.Size()
	}
	return false
}

// plainFrom is the number of the first field, from number i on, that is not plain, or that has bytes before
// it which mean nothing.
func plainFrom(t reflect.Type, i int) int {
	for first := i; i < t.NumField() && isPlain(t.Field(i).Type); i++ {
		if i > first && t.Field(i).Offset != end(t, i-1) {
			break
		}
	}
	return i
}

// end is where a field ends.
func end(t reflect.Type, i int) uintptr { return t.Field(i).Offset + t.Field(i).Type.Size() }

func bytesAlike(n uintptr) func(a, b unsafe.Pointer) bool {
	return func(a, b unsafe.Pointer) bool { return sameBytes(a, b, n) }
}

func sameBytes(a, b unsafe.Pointer, n uintptr) bool {
	return unsafe.String((*byte)(a), n) == unsafe.String((*byte)(b), n)
}
