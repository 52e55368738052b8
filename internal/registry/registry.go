// Package registry keeps things of one kind by name, in the order in which they
// were registered or in one of their own: strategies, scenarios, properties, known bugs. Packages register
// what they bring in package variables and init functions, as database drivers do. An error about a name
// suggests those that are spelled nearly so.
//
// The package must never import anything of this module.
package registry

import (
	"fmt"
	"slices"
	"sort"
)

// Registry keeps things of one kind. It is filled before main begins, and not
// changed after that.
type Registry[T any] struct {
	kind  string
	names []string
	items []T
}

// New makes a registry; kind is what errors call its things, "scenario".
func New[T any](kind string) *Registry[T] { return &Registry[T]{kind: kind} }

// Add registers something. It panics if the name is empty or taken: two packages
// of one program then disagree on what a name means.
func (r *Registry[T]) Add(name string, item T) T {
	return r.put(len(r.items), name, item)
}

// Insert registers something at its place in an order, behind what is equal. All items are
// then to be registered so. It panics as Add does.
func (r *Registry[T]) Insert(name string, item T, compare func(a, b T) int) T {
	at := sort.Search(len(r.items), func(i int) bool { return compare(r.items[i], item) > 0 })
	return r.put(at, name, item)
}

func (r *Registry[T]) put(at int, name string, item T) T {
	if name == "" {
		panic(fmt.Sprintf("a %s without a name is registered", r.kind))
	}
	if slices.Contains(r.names, name) {
		panic(fmt.Sprintf("%s %q is registered twice", r.kind, name))
	}
	r.names = slices.Insert(r.names, at, name)
	r.items = slices.Insert(r.items, at, item)
	return item
}

// All lists everything, in the order of registration or in that of Insert.
func (r *Registry[T]) All() []T { return slices.Clone(r.items) }

// Find returns what has a name. The error is one line, and names the nearest.
func (r *Registry[T]) Find(name string) (item T, err error) {
	if i := slices.Index(r.names, name); i >= 0 {
		return r.items[i], nil
	}
	return item, fmt.Errorf("unknown %s %q%s", r.kind, name, Suggest(name, r.names))
}

// Arrange puts these names first, in this order, and leaves the others behind
// them. It panics if there is no such name.
func (r *Registry[T]) Arrange(first ...string) {
	place := func(name string) int {
		if i := slices.Index(first, name); i >= 0 {
			return i
		}
		return len(first)
	}
	for _, name := range first {
		if !slices.Contains(r.names, name) {
			panic(fmt.Sprintf("no %s with the name %q is registered", r.kind, name))
		}
	}
	order := make([]int, len(r.names))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return place(r.names[a]) - place(r.names[b]) })
	names, items := make([]string, len(order)), make([]T, len(order))
	for to, from := range order {
		names[to], items[to] = r.names[from], r.items[from]
	}
	r.names, r.items = names, items
}

// With is a list with the names that are not in it yet.
func With(list []string, more ...string) []string {
	for _, name := range more {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}
