package state

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/watchbed/watchbed/sim"
)

// Digester is a value that says itself what is state of it.
type Digester interface {
	Digest(d sim.Digest) sim.Digest
}

// Owner is a value that shares memory with a copy of it until it has its own.
type Owner interface{ Own() }

type (
	digestFunc func(d sim.Digest, p unsafe.Pointer) sim.Digest
	// ownFunc is nil if a copy shares no memory that changes.
	ownFunc func(p unsafe.Pointer)
)

var (
	digester  = reflect.TypeFor[Digester]()
	owning    = reflect.TypeFor[Owner]()
	recording = reflect.TypeFor[recorded]()
	connType  = reflect.TypeFor[sim.Conn]()
)

// digestOf returns how values of a type are digested. Fields with the tag `cell:"-"` are left out:
// they decide nothing, or only say what other fields say.
func digestOf(t reflect.Type) digestFunc {
	switch {
	case reflect.PointerTo(t).Implements(digester):
		return func(d sim.Digest, p unsafe.Pointer) sim.Digest {
			return reflect.NewAt(t, p).Interface().(Digester).Digest(d)
		}
	case t.Implements(digester):
		return func(d sim.Digest, p unsafe.Pointer) sim.Digest {
			v := reflect.NewAt(t, p).Elem()
			if v.IsNil() {
				return d.Bool(false)
			}
			return v.Interface().(Digester).Digest(d.Bool(true))
		}
	case t == connType:
		// The number of a connection depends on the past and is no state.
		return func(d sim.Digest, p unsafe.Pointer) sim.Digest { return d.Bool(*(*sim.Conn)(p) != sim.NoConn) }
	}
	switch t.Kind() {
	case reflect.Bool:
		return func(d sim.Digest, p unsafe.Pointer) sim.Digest { return d.Bool(*(*bool)(p)) }
	case reflect.String:
		return func(d sim.Digest, p unsafe.Pointer) sim.Digest { return d.Text(*(*string)(p)) }
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return func(d sim.Digest, p unsafe.Pointer) sim.Digest { return d.Word(*(*uint64)(p)) }
	case reflect.Int32, reflect.Uint32:
		return func(d sim.Digest, p unsafe.Pointer) sim.Digest { return d.Word(uint64(*(*uint32)(p))) }
	case reflect.Uint16:
		return func(d sim.Digest, p unsafe.Pointer) sim.Digest { return d.Word(uint64(*(*uint16)(p))) }
	case reflect.Uint8:
		return func(d sim.Digest, p unsafe.Pointer) sim.Digest { return d.Word(uint64(*(*uint8)(p))) }
	case reflect.Slice:
		return digestOfSlice(t.Elem())
	case reflect.Struct:
		return digestOfStruct(t)
	}
	panic(fmt.Sprintf("state: %s has no method Digest", t))
}

func digestOfSlice(elem reflect.Type) digestFunc {
	each, size := digestOf(elem), elem.Size()
	return func(d sim.Digest, p unsafe.Pointer) sim.Digest {
		// Where the elements are and how many does not depend on their type.
		s := *(*[]byte)(p)
		d = d.Int(int64(len(s)))
		for i := range uintptr(len(s)) {
			d = each(d, unsafe.Add(unsafe.Pointer(unsafe.SliceData(s)), i*size))
		}
		return d
	}
}

// isState reports whether a field is of those that are digested.
func isState(f reflect.StructField) bool {
	return f.Tag.Get("cell") != "-" && !recordsItself(f.Type)
}

func digestOfStruct(t reflect.Type) digestFunc {
	var all []digestFunc
	var at []uintptr
	for i := range t.NumField() {
		if f := t.Field(i); isState(f) {
			all, at = append(all, digestOf(f.Type)), append(at, f.Offset)
		}
	}
	return func(d sim.Digest, p unsafe.Pointer) sim.Digest {
		for i, digest := range all {
			d = digest(d, unsafe.Add(p, at[i]))
		}
		return d
	}
}

// ownOf returns how a copy of a value gets memory of its own. What pointers lead to never changes.
func ownOf(t reflect.Type) ownFunc {
	switch {
	case reflect.PointerTo(t).Implements(owning):
		return func(p unsafe.Pointer) { reflect.NewAt(t, p).Interface().(Owner).Own() }
	case t.Kind() == reflect.Slice:
		return ownOfSlice(t)
	case t.Kind() == reflect.Struct:
		return ownOfStruct(t)
	}
	return nil
}

func ownOfSlice(t reflect.Type) ownFunc {
	each := ownOf(t.Elem())
	return func(p unsafe.Pointer) {
		// Where the elements are and how many does not depend on their type.
		if all := (*[]byte)(p); len(*all) == 0 {
			*all = nil
			return
		}
		s := reflect.NewAt(t, p).Elem()
		n := s.Len()
		c := reflect.MakeSlice(t, n, n)
		reflect.Copy(c, s)
		s.Set(c)
		for i := 0; each != nil && i < n; i++ {
			each(c.Index(i).Addr().UnsafePointer())
		}
	}
}

func ownOfStruct(t reflect.Type) ownFunc {
	var all []ownFunc
	var at []uintptr
	for i := range t.NumField() {
		if recordsItself(t.Field(i).Type) {
			continue
		}
		if own := ownOf(t.Field(i).Type); own != nil {
			all, at = append(all, own), append(at, t.Field(i).Offset)
		}
	}
	if all == nil {
		return nil
	}
	return func(p unsafe.Pointer) {
		for i, own := range all {
			own(unsafe.Add(p, at[i]))
		}
	}
}
