package option

import (
	"fmt"

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
