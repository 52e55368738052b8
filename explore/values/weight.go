package values

import (
	"reflect"
	"unsafe"
)

// scale weighs what is kept. Values share most of what they point to with others, which counts once.
// Texts are left out: nearly all of them are constants.
type scale struct {
	weighed map[uintptr]struct{}
	types   map[reflect.Type]*weigher
}

// weigher says how much memory is behind what a value of one type points to, from where the value is in
// memory. It is nothing for a type that points to nothing.
type weigher struct{ behind func(at unsafe.Pointer) int }

// Weigh returns a function that says how much memory a value takes. Memory that an earlier call
// has counted does not count again.
func Weigh() func(x any) int {
	s := &scale{weighed: map[uintptr]struct{}{}, types: map[reflect.Type]*weigher{}}
	return func(x any) int {
		v := reflect.ValueOf(x)
		return int(v.Type().Size()) + s.held(v)
	}
}

// entryBytes is what the scale itself takes for each value that it has weighed.
const entryBytes = 24

// of is how values of a type are weighed. That of a type which contains itself is there before it is
// complete.
func (s *scale) of(t reflect.Type) *weigher {
	known := s.types[t]
	if known == nil {
		known = &weigher{func(unsafe.Pointer) int { panic("values: a type is not complete") }}
		s.types[t] = known
		known.behind = s.make(t)
	}
	return known
}

func (s *scale) make(t reflect.Type) func(at unsafe.Pointer) int {
	switch t.Kind() {
	case reflect.Pointer:
		of, size := s.of(t.Elem()), t.Elem().Size()
		return func(at unsafe.Pointer) int { return s.pointer(*(*unsafe.Pointer)(at), of, size) }
	case reflect.Interface:
		return func(at unsafe.Pointer) int {
			if v := reflect.NewAt(t, at).Elem(); !v.IsNil() {
				return s.held(v.Elem())
			}
			return 0
		}
	case reflect.Slice:
		return s.slices(t)
	case reflect.Array:
		if elements := s.elements(t.Elem()); elements != nil {
			return func(at unsafe.Pointer) int { return elements(at, t.Len()) }
		}
	case reflect.Struct:
		return s.structs(t)
	case reflect.Map:
		return func(at unsafe.Pointer) int { return s.maps(reflect.NewAt(t, at).Elem()) }
	}
	return nil
}

// held weighs what is behind a value that an interface holds.
func (s *scale) held(v reflect.Value) int {
	if v.Kind() == reflect.Pointer {
		return s.pointer(v.UnsafePointer(), s.of(v.Type().Elem()), v.Type().Elem().Size())
	}
	if of := s.of(v.Type()); of.behind != nil {
		return of.behind(placed(v))
	}
	return 0
}

func (s *scale) pointer(to unsafe.Pointer, of *weigher, size uintptr) int {
	if to == nil || !s.isNew(to) {
		return 0
	}
	n := entryBytes + int(size)
	if of.behind != nil {
		n += of.behind(to)
	}
	return n
}

func (s *scale) slices(t reflect.Type) func(at unsafe.Pointer) int {
	elements, size := s.elements(t.Elem()), int(t.Elem().Size())
	return func(at unsafe.Pointer) int {
		// All slices have the same header.
		x := *(*[]byte)(at)
		first := unsafe.Pointer(unsafe.SliceData(x))
		if cap(x) == 0 || !s.isNew(first) {
			return 0
		}
		n := entryBytes + cap(x)*size
		if elements != nil {
			n += elements(first, len(x))
		}
		return n
	}
}

// elements weighs what is behind so many values that are side by side; nil if nothing ever is.
func (s *scale) elements(t reflect.Type) func(first unsafe.Pointer, n int) int {
	of, size := s.of(t), t.Size()
	if of.behind == nil {
		return nil
	}
	return func(first unsafe.Pointer, n int) (sum int) {
		for i := range uintptr(n) {
			sum += of.behind(unsafe.Add(first, i*size))
		}
		return sum
	}
}

func (s *scale) structs(t reflect.Type) func(at unsafe.Pointer) int {
	type field struct {
		at uintptr
		of *weigher
	}
	var fields []field
	for i := range t.NumField() {
		if f := t.Field(i); s.of(f.Type).behind != nil {
			fields = append(fields, field{f.Offset, s.of(f.Type)})
		}
	}
	if fields == nil {
		return nil
	}
	return func(at unsafe.Pointer) (sum int) {
		for i := range fields {
			sum += fields[i].of.behind(unsafe.Add(at, fields[i].at))
		}
		return sum
	}
}

func (s *scale) maps(v reflect.Value) int {
	if v.IsNil() || !s.isNew(v.UnsafePointer()) {
		return 0
	}
	n := entryBytes + 2*v.Len()*int(v.Type().Key().Size()+v.Type().Elem().Size())
	for _, k := range v.MapKeys() {
		n += s.held(v.MapIndex(k))
	}
	return n
}

func (s *scale) isNew(at unsafe.Pointer) bool {
	if _, known := s.weighed[uintptr(at)]; known {
		return false
	}
	s.weighed[uintptr(at)] = struct{}{}
	return true
}
