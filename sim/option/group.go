package option

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
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
			Name: o.Name, Node: o.Node, Doc: o.Doc, Form: o.Form, Default: o.Default, values: o.values, undrawn: o.undrawn, undrawnOf: o.undrawnOf,
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

// Setting is an option by name with a value.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// String is NAME=VALUE.
func (s Setting) String() string { return s.Name + "=" + s.Value }

// ValueIn is the value that settings give an option; the last one counts.
func ValueIn(all []Setting, name string) (value string, given bool) {
	for _, s := range all {
		if s.Name == name {
			value, given = s.Value, true
		}
	}
	return value, given
}

// ParseSetting reads NAME=VALUE.
func ParseSetting(text string) (Setting, error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return Setting{}, fmt.Errorf("%q: want NAME=VALUE", text)
	}
	return Setting{name, value}, nil
}

// Settings reads settings that are written in the source code, each NAME=VALUE;
// it panics on a mistake.
func Settings(texts ...string) []Setting {
	all := make([]Setting, len(texts))
	for i, text := range texts {
		var err error
		if all[i], err = ParseSetting(text); err != nil {
			panic("option: " + err.Error())
		}
	}
	return all
}

// Neighbour is other code of a node that comes from outside: what can be put in its place, to see whether that decides.
type Neighbour struct {
	Name string
	// Without is what the neighbour lacks and is the same otherwise, such as "the patch mine"; empty if it is another
	// release.
	Without string
}

// Preset is a list of settings with a name: a version of etcd, a design of the
// cache, a known bug.
type Preset struct {
	Name string
	// Doc is one sentence.
	Doc      string
	Settings []Setting
}

// Apply sets all options of a preset.
func (g Group[C]) Apply(c *C, p *Preset) error {
	for _, s := range p.Settings {
		if err := g.Set(c, s.Name, s.Value); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return nil
}

// ApplyAll applies presets that must not contradict each other. The error names
// two that set one option to different values.
func (g Group[C]) ApplyAll(c *C, presets ...*Preset) error {
	setBy := map[string]*Preset{}
	valueOf := map[string]string{}
	for _, p := range presets {
		for _, s := range p.Settings {
			if other := setBy[s.Name]; other != nil && valueOf[s.Name] != s.Value {
				return fmt.Errorf("%q and %q both set %s; give one of them", other.Name, p.Name, s.Name)
			}
			setBy[s.Name], valueOf[s.Name] = p, s.Value
		}
		if err := g.Apply(c, p); err != nil {
			return err
		}
	}
	return nil
}

// Range is an option with the values from which a setting of it is drawn.
type Range struct {
	Name   string
	Values []string
}

// Ranges reads ranges that are written in the source code, each NAME=VALUE|VALUE, with spaces between
// them; it panics on a mistake.
func Ranges(text string) []Range {
	var all []Range
	for _, s := range Settings(strings.Fields(text)...) {
		all = append(all, Range{s.Name, strings.Split(s.Value, "|")})
	}
	return all
}

// Seam is a place where something may differ: a choice among implementations I,
// numbered as values of E. The first one is what is shipped. A package declares
// its seams as variables; another module adds a value with Register and selects
// it by name like any other.
type Seam[E ~uint8, I any] struct {
	name, doc       string
	names           []Value
	implementations []I
}

// NewSeam declares a seam with the name and the sentence of its option.
func NewSeam[E ~uint8, I any](name, doc string) *Seam[E, I] { return &Seam[E, I]{name: name, doc: doc} }

// Shipped registers the first value. It belongs to the declaration of the seam:
// Go initializes variables that call Register in the order in which what they
// depend on is ready, so the first of them need not stay the first value.
func (s *Seam[E, I]) Shipped(value, doc string, implementation I) *Seam[E, I] {
	if len(s.names) > 0 {
		panic("option: " + s.name + " has values before the shipped one")
	}
	s.Register(value, doc, implementation)
	return s
}

// Off says that with a value the code of the option does not run.
func (s *Seam[E, I]) Off(value E) *Seam[E, I] {
	s.names[value].IsOff = true
	return s
}

// Register adds a value with its implementation; call it in package variable
// declarations or init functions only. It panics if there is one of that name.
func (s *Seam[E, I]) Register(value, doc string, implementation I) E {
	for _, v := range s.names {
		if v.Name == value {
			panic(fmt.Sprintf("option: %s has a value %q already", s.name, value))
		}
	}
	s.names = append(s.names, Val(value, doc))
	s.implementations = append(s.implementations, implementation)
	return E(len(s.names) - 1)
}

// Of is the implementation of a value.
func (s *Seam[E, I]) Of(value E) I { return s.implementations[value] }

func (s *Seam[E, I]) list() []Value { return s.names }

// SeamOption is the option that chooses among the values of a seam.
func SeamOption[C any, E ~uint8, I any](s *Seam[E, I], field func(*C) *E) Option[C] {
	return choice(s.name, field, s.doc, s)
}
