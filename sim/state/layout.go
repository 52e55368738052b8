package state

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/watchbed/watchbed/sim"
)

// Layout is where the cells of a type are. Before its first use a value is reset.
type Layout[T any] struct{ fields []field }

type field struct {
	offset, contents uintptr
	kind             sim.CellKind
	digest           digestFunc
	own              ownFunc
	conns            connsFunc
}

// recorded is a field that records itself. It begins with its place.
type recorded interface {
	// contents is the type of what is in the cell, and where it is.
	contents() (reflect.Type, unsafe.Pointer)
}

// Of registers the cells of a type; call it in package variable declarations only. Each
// field that records itself has a tag `cell:"NAME"`; fields of struct types are looked
// through.
func Of[T any]() *Layout[T] {
	l := &Layout[T]{}
	l.add(reflect.TypeFor[T](), 0)
	return l
}

func (l *Layout[T]) add(t reflect.Type, at uintptr) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, tagged := f.Tag.Lookup("cell")
		v := reflect.New(f.Type)
		cell, records := v.Interface().(recorded)
		switch {
		case records != tagged:
			panic(fmt.Sprintf("state: %s.%s: a cell and a tag belong together", t, f.Name))
		case records:
			typ, p := cell.contents()
			l.fields = append(l.fields, field{
				at + f.Offset, at + f.Offset + uintptr(p) - uintptr(v.UnsafePointer()), sim.NewCell(name), digestOf(typ), ownOf(typ), connsOf(typ),
			})
		case f.Type.Kind() == reflect.Struct:
			l.add(f.Type, at+f.Offset)
		}
	}
}

// Reset makes x a new one with these fields, and names its cells. Index is what tells x from others
// of its type in the same node.
func (l *Layout[T]) Reset(x *T, index int, fields T) {
	*x = fields
	for i := range l.fields {
		f := &l.fields[i]
		*f.place(unsafe.Pointer(x)) = place{f.kind, int32(index)}
	}
}

func (f *field) place(x unsafe.Pointer) *place { return (*place)(unsafe.Add(x, f.offset)) }

// Clone is a copy of x with cells of its own.
func (l *Layout[T]) Clone(x *T) *T {
	var c T
	l.CloneTo(&c, x)
	return &c
}

// CloneTo makes c such a copy.
func (l *Layout[T]) CloneTo(c, x *T) {
	*c = *x
	for i := range l.fields {
		if f := &l.fields[i]; f.own != nil {
			f.own(unsafe.Add(unsafe.Pointer(c), f.contents))
		}
	}
}

// Cells visits the cells of x, as sim.Celled does.
func (l *Layout[T]) Cells(x *T, visit sim.CellVisitor) {
	for i := range l.fields {
		f := &l.fields[i]
		at := f.place(unsafe.Pointer(x))
		visit(at.kind, int(at.index), f.digest(sim.NewDigest, unsafe.Add(unsafe.Pointer(x), f.contents)))
	}
}
