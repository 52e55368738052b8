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
	offset uintptr
	typ    reflect.Type
	kind   sim.CellKind
}

// recorded is a field that records itself.
type recorded interface {
	// reset makes an empty cell of this name, with the memory of what it was.
	reset(was recorded, kind sim.CellKind, index int32)
	// own gives a copy of the cell memory of its own.
	own()
	visit(sim.CellVisitor)
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
		_, records := reflect.New(f.Type).Interface().(recorded)
		switch {
		case records != tagged:
			panic(fmt.Sprintf("state: %s.%s: a cell and a tag belong together", t, f.Name))
		case records:
			l.fields = append(l.fields, field{at + f.Offset, f.Type, sim.NewCell(name)})
		case f.Type.Kind() == reflect.Struct:
			l.add(f.Type, at+f.Offset)
		}
	}
}

func (l *Layout[T]) at(x *T, f *field) recorded {
	return reflect.NewAt(f.typ, unsafe.Add(unsafe.Pointer(x), f.offset)).Interface().(recorded)
}

// Reset makes x a new one, with these fields and empty cells, and keeps its memory. Index is
// what tells x from others of its type in the same node.
func (l *Layout[T]) Reset(x *T, index int, fields T) {
	for i := range l.fields {
		f := &l.fields[i]
		l.at(&fields, f).reset(l.at(x, f), f.kind, int32(index))
	}
	*x = fields
}

// Clone is a copy of x with cells of its own.
func (l *Layout[T]) Clone(x *T) *T {
	c := *x
	for i := range l.fields {
		l.at(&c, &l.fields[i]).own()
	}
	return &c
}

// Cells visits the cells of x, as sim.Celled does.
func (l *Layout[T]) Cells(x *T, visit sim.CellVisitor) {
	for i := range l.fields {
		l.at(x, &l.fields[i]).visit(visit)
	}
}
