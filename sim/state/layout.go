package state

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/watchbed/watchbed/sim"
)

// Layout is where the cells of a type are. Before its first use a value is reset.
type Layout[T any] struct{ fields }

// fields are those that record themselves.
type fields []field

type field struct {
	typ              reflect.Type
	offset, contents uintptr
	kind             sim.CellKind
	digest           digestFunc
	// none is the digest of a new one.
	none    sim.Digest
	conns   connsFunc
	ownFunc ownFunc
	empty   func(p unsafe.Pointer)
	// of are the fields of each place of Places, nil for another type.
	of *fields
}

// recorded is a field that records itself. It begins with its place.
type recorded interface {
	// contents is the type of what is in the cell, and where it is.
	contents() (reflect.Type, unsafe.Pointer)
	// empties returns what makes such a field a new one, and keeps its memory.
	empties() func(p unsafe.Pointer)
}

// recordsItself reports whether a type does so, and is none in which a Cell is embedded.
func recordsItself(t reflect.Type) bool {
	if !reflect.PointerTo(t).Implements(recording) {
		return false
	}
	first := t.Field(0)
	return !first.Anonymous || !reflect.PointerTo(first.Type).Implements(recording)
}

// held is what a Layout knows of Places.
type held interface {
	inside() reflect.Type
	count(d sim.Digest) sim.Digest
	visit(func(x unsafe.Pointer))
}

// Of registers the cells of a type; call it in package variable declarations only. Each
// field that records itself has a tag `cell:"NAME"`; fields of struct types, and the type of Places, are looked
// through. A fingerprint leaves out what has the tag `digest:"-"`, such as what only counts up.
func Of[T any]() *Layout[T] {
	l := &Layout[T]{}
	l.add(reflect.TypeFor[T](), 0)
	return l
}

func (l *fields) add(t reflect.Type, at uintptr) {
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("cell")
		tagged := name != "" && name != "-"
		v := reflect.New(f.Type)
		cell, _ := v.Interface().(recorded)
		records := recordsItself(f.Type)
		switch {
		case records != tagged:
			panic(fmt.Sprintf("state: %s.%s: a cell and a tag belong together", t, f.Name))
		case records:
			typ, p := cell.contents()
			// Of a Cell, what is in it reaches beyond it.
			zero := reflect.New(typ).UnsafePointer()
			added := field{
				typ: f.Type, offset: at + f.Offset, contents: at + f.Offset + uintptr(p) - uintptr(v.UnsafePointer()),
				kind: sim.NewCell(name), digest: digestOf(typ), conns: connsOf(typ), ownFunc: ownOf(typ), empty: cell.empties(),
			}
			switch {
			case f.Tag.Get("free") == "counted":
				added.digest = func(d sim.Digest, p unsafe.Pointer) sim.Digest {
					return reflect.NewAt(f.Type, p).Interface().(held).count(d)
				}
			case f.Tag.Get("digest") == "-":
				added.digest = func(d sim.Digest, _ unsafe.Pointer) sim.Digest { return d }
			}
			added.none = added.digest(sim.NewDigest, zero)
			if p, ok := cell.(held); ok {
				added.of = &fields{}
				added.of.add(p.inside(), 0)
			}
			*l = append(*l, added)
		case f.Type.Kind() == reflect.Struct:
			l.add(f.Type, at+f.Offset)
		}
	}
}

// Reset makes x a new one with these fields, and names its cells. Index is what tells x from others
// of its type in the same node.
func (l *Layout[T]) Reset(x *T, index int, fields T) {
	*x = fields
	l.Name(x, index)
}

// Name is Reset of an x that is what it should be.
func (l *Layout[T]) Name(x *T, index int) { l.name(unsafe.Pointer(x), index) }

func (l *fields) name(x unsafe.Pointer, index int) {
	for i := range *l {
		f := &(*l)[i]
		*f.place(x) = place{f.kind, int32(index)}
		if f.of != nil {
			*(**fields)(unsafe.Add(x, f.offset+unsafe.Offsetof(Places[int]{}.of))) = f.of
		}
	}
}

func (f *field) place(x unsafe.Pointer) *place { return (*place)(unsafe.Add(x, f.offset)) }

func (f *field) at(x unsafe.Pointer) any {
	return reflect.NewAt(f.typ, unsafe.Add(x, f.offset)).Interface()
}

// Clear makes the cells of x those of a new one, and keeps their memory.
func (l *Layout[T]) Clear(x *T) { l.clear(unsafe.Pointer(x)) }

func (l *fields) clear(x unsafe.Pointer) {
	for i := range *l {
		f := &(*l)[i]
		f.empty(unsafe.Add(x, f.offset))
	}
}

// Write declares that all cells of x change.
func (l *Layout[T]) Write(env *sim.Env, x *T) { l.write(env, unsafe.Pointer(x)) }

func (l *fields) write(env *sim.Env, x unsafe.Pointer) {
	for i := 0; env.Recording() && i < len(*l); i++ {
		at := (*l)[i].place(x)
		env.Write(at.kind, int(at.index))
	}
}

// Clone is a copy of x with cells of its own.
func (l *Layout[T]) Clone(x *T) *T {
	var c T
	l.CloneTo(&c, x)
	return &c
}

// CloneTo makes c such a copy.
func (l *Layout[T]) CloneTo(c, x *T) {
	*c = *x
	l.own(unsafe.Pointer(c))
}

func (l *fields) own(c unsafe.Pointer) {
	for i := range *l {
		if f := &(*l)[i]; f.ownFunc != nil {
			f.ownFunc(unsafe.Add(c, f.contents))
		}
	}
}

// Cells visits the cells of x, as sim.Celled does.
func (l *Layout[T]) Cells(x *T, visit sim.CellVisitor) { l.cells(unsafe.Pointer(x), visit) }

func (l *fields) cells(x unsafe.Pointer, visit sim.CellVisitor) {
	for i := range *l {
		f := &(*l)[i]
		if d := f.digest(sim.NewDigest, unsafe.Add(x, f.contents)); d != f.none {
			at := f.place(x)
			visit(at.kind, int(at.index), d)
		}
		if f.of != nil {
			f.at(x).(held).visit(func(x unsafe.Pointer) { f.of.cells(x, visit) })
		}
	}
}

// Conns visits the connections in the cells of x, in the order of the digests, as sim.Connected does.
func (l *Layout[T]) Conns(x *T, visit func(sim.Conn)) { l.connsIn(unsafe.Pointer(x), visit) }

func (l *fields) connsIn(x unsafe.Pointer, visit func(sim.Conn)) {
	for i := range *l {
		f := &(*l)[i]
		if f.conns != nil {
			f.conns(unsafe.Add(x, f.contents), visit)
		}
		if f.of != nil {
			f.at(x).(held).visit(func(x unsafe.Pointer) { f.of.connsIn(x, visit) })
		}
	}
}

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
