// Package dimension is for what versions and designs differ in: named settings
// with named values, one table for each kind of node.
//
// It must never import anything of this module: the server, the client library
// and the cache each have a table of their own, and know nothing of the others'.
package dimension

import (
	"fmt"
	"slices"
)

// Dimension is one way in which behaviours differ, with the value that one of
// them has there and all values that there are.
type Dimension struct {
	Name, Value string
	Values      []string
}

// Field is a dimension as a field of a behaviour B, whose values are numbered as
// Values are.
type Field[B any] struct {
	Name   string
	Values []string
	Get    func(*B) int
	Set    func(*B, int)
}

// Table is all dimensions of one kind of behaviour.
type Table[B any] []Field[B]

// Of lists the dimensions with the values that b has, in the table's order.
func (t Table[B]) Of(b B) []Dimension {
	all := make([]Dimension, len(t))
	for i, f := range t {
		all[i] = Dimension{Name: f.Name, Value: f.Values[f.Get(&b)], Values: slices.Clone(f.Values)}
	}
	return all
}

// With returns b with one dimension set to one of its values. The error begins
// with whose, the kind of behaviour, and lists what there is if there is no such
// dimension or value.
func (t Table[B]) With(whose string, b B, name, value string) (B, error) {
	var names []string
	for _, f := range t {
		if f.Name != name {
			names = append(names, f.Name)
			continue
		}
		v := slices.Index(f.Values, value)
		if v < 0 {
			return b, fmt.Errorf("%s: dimension %q has no value %q; it has %q", whose, name, value, f.Values)
		}
		f.Set(&b, v)
		return b, nil
	}
	return b, fmt.Errorf("%s: no dimension %q; there are %q", whose, name, names)
}
