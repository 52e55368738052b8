package values

import "reflect"

// scale weighs what is kept. Values share most of what they point to with others, which counts once.
// Texts are left out: nearly all of them are constants.
type scale struct {
	weighed map[uintptr]struct{}
	// flat are the types that point to nothing.
	flat map[reflect.Type]bool
}

// Weigh returns a function that says, for sim.Parts, how much memory something takes, without what it was
// asked for before.
func Weigh() func(x any) int {
	s := &scale{weighed: map[uintptr]struct{}{}, flat: map[reflect.Type]bool{}}
	return func(x any) int {
		v := reflect.ValueOf(x)
		return int(v.Type().Size()) + s.behind(v)
	}
}

// entryBytes is what the scale itself takes for each value that it has weighed.
const entryBytes = 24

// behind is how much memory is behind what a value points to.
func (s *scale) behind(v reflect.Value) int {
	if s.isFlat(v.Type()) {
		return 0
	}
	n := 0
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && s.isNew(v.Pointer()) {
			return entryBytes + int(v.Type().Elem().Size()) + s.behind(v.Elem())
		}
	case reflect.Interface:
		if !v.IsNil() {
			return s.behind(v.Elem())
		}
	case reflect.Slice:
		if v.Cap() == 0 || !s.isNew(v.Pointer()) {
			return 0
		}
		n = entryBytes + v.Cap()*int(v.Type().Elem().Size())
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			n += s.behind(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			n += s.behind(v.Field(i))
		}
	case reflect.Map:
		if !s.isNew(v.Pointer()) {
			return 0
		}
		n = entryBytes + 2*v.Len()*int(v.Type().Key().Size()+v.Type().Elem().Size())
		for _, k := range v.MapKeys() {
			n += s.behind(v.MapIndex(k))
		}
	}
	return n
}

func (s *scale) isNew(at uintptr) bool {
	if _, known := s.weighed[at]; known {
		return false
	}
	s.weighed[at] = struct{}{}
	return true
}

func (s *scale) isFlat(t reflect.Type) bool {
	flat, known := s.flat[t]
	if known {
		return flat
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map:
	case reflect.Array:
		flat = s.isFlat(t.Elem())
	case reflect.Struct:
		flat = true
		for i := range t.NumField() {
			flat = flat && s.isFlat(t.Field(i).Type)
		}
	default:
		flat = true
	}
	s.flat[t] = flat
	return flat
}
