package values

import (
	"reflect"
	"unsafe"
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
