package option

import (
	"fmt"
	"reflect"
	"strconv"
	"time"
	"unsafe"

	"github.com/watchbed/watchbed/internal/registry"
)

// Group is the options of one configuration, in a fixed order.
type Group[C any] []Option[C]

// NewGroup makes a group of options that belong to one node. It panics if two
// have one name: options are declared in package variables.
func NewGroup[C any](node string, options ...Option[C]) Group[C] {
	g := Group[C](options)
	for i := range g {
		g[i].Node = node
	}
	return g.checked()
}

// Fields makes a group of the fields that have the tags option, their name, and doc, in their order; the tag zero is
// the Default, and the tag least what an amount is at least that is not 0 (From), of a time a millisecond (Period).
// Whole numbers, switches and durations need no more. A field without doc is the option of its name among others. The
// fields of a field that is a struct follow in its place.
func Fields[C any](node string, others ...Option[C]) Group[C] {
	return NewGroup(node, fields(reflect.TypeFor[C](), 0, others)...)
}

func fields[C any](of reflect.Type, within uintptr, others []Option[C]) (all []Option[C]) {
	for i := range of.NumField() {
		f := of.Field(i)
		at, name, doc, zero, least := within+f.Offset, f.Tag.Get("option"), f.Tag.Get("doc"), f.Tag.Get("zero"), f.Tag.Get("least")
		if name == "" && f.Type.Kind() != reflect.Struct {
			continue
		}
		switch reflect.Zero(f.Type).Interface().(type) {
		case int:
			o := Count(name, field[C, int](at), zero, doc)
			if n, err := strconv.Atoi(least); err == nil {
				o = o.From(n)
			}
			all = append(all, o)
		case bool:
			all = append(all, Switch(name, field[C, bool](at), doc))
		case time.Duration:
			form := Duration[C]
			if least == minPeriod.String() {
				form = Period[C]
			}
			all = append(all, form(name, field[C, time.Duration](at), zero, doc))
		default:
			if other := Group[C](others).Lookup(name); other != nil {
				all = append(all, *other)
			} else if f.Type.Kind() == reflect.Struct {
				all = append(all, fields(f.Type, at, others)...)
			} else {
				panic("option: nothing says what the field " + f.Name + " takes")
			}
		}
	}
	return all
}

// field is that at a place of a configuration.
func field[C, T any](at uintptr) func(*C) *T {
	return func(c *C) *T { return (*T)(unsafe.Add(unsafe.Pointer(c), at)) }
}

// Fill sets all amounts that are 0 to the Default, which the node works with.
func (g Group[C]) Fill(c *C) {
	for i := range g {
		if g[i].fill != nil {
			g[i].fill(c)
		}
	}
}

// Join makes one group of several.
func Join[C any](groups ...Group[C]) Group[C] {
	var all Group[C]
	for _, g := range groups {
		all = append(all, g...)
	}
	return all.checked()
}

func (g Group[C]) checked() Group[C] {
	names := map[string]bool{}
	for i := range g {
		if names[g[i].Name] {
			panic("option: declared twice: " + g[i].Name)
		}
		names[g[i].Name] = true
	}
	return g
}

// Lift makes the options of a part those of the whole.
func Lift[P, C any](g Group[C], part func(*P) *C) Group[P] {
	lifted := make(Group[P], len(g))
	for i := range g {
		o := g[i]
		lifted[i] = Option[P]{
			Name: o.Name, Node: o.Node, Doc: o.Doc, Form: o.Form, Default: o.Default, values: o.values,
			get: func(p *P) string { return o.get(part(p)) },
			set: func(p *P, value string) error { return o.set(part(p), value) },
		}
		if o.fill != nil {
			lifted[i].fill = func(p *P) { o.fill(part(p)) }
		}
	}
	return lifted
}

// Lookup returns an option by its name, nil if there is none.
func (g Group[C]) Lookup(name string) *Option[C] {
	for i := range g {
		if g[i].Name == name {
			return &g[i]
		}
	}
	return nil
}

// Find returns an option by its name. The error names the nearest one.
func (g Group[C]) Find(name string) (*Option[C], error) {
	if o := g.Lookup(name); o != nil {
		return o, nil
	}
	names := make([]string, len(g))
	for i := range g {
		names[i] = g[i].Name
	}
	return nil, fmt.Errorf("unknown option %q%s", name, registry.Suggest(name, names))
}

// Set sets one option by its name.
func (g Group[C]) Set(c *C, name, value string) error {
	o, err := g.Find(name)
	if err != nil {
		return err
	}
	return o.Set(c, value)
}

// Expand lists all options with their present values.
func (g Group[C]) Expand(c *C) []Setting {
	all := make([]Setting, len(g))
	for i := range g {
		all[i] = Setting{g[i].Name, g[i].Get(c)}
	}
	return all
}
