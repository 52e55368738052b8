// Package registry keeps things of one kind by name, in the order in which they
// were registered or in one of their own: strategies, scenarios, properties, known bugs. Packages register
// what they bring in package variables and init functions, as database drivers do. An error about a name
// suggests those that are spelled nearly so.
//
// The package must never import anything of this module.
package registry

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
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

// maxListed is how many candidates fit into one line of an error.
const maxListed = 24

// Suggest names the candidate nearest to a mistyped word, as the end of an
// error's line: `; did you mean "issue-15220"?`. If none is near it lists all of
// them, unless they are too many for a line.
func Suggest(word string, candidates []string) string {
	best, distance := "", tooFar(word)
	for _, c := range candidates {
		if d := between(word, c); d < distance {
			best, distance = c, d
		}
	}
	switch {
	case best != "":
		return `; did you mean "` + best + `"?`
	case len(candidates) <= maxListed:
		return "; there are " + strings.Join(candidates, ", ")
	}
	return ""
}

// maxNearest is how many candidates Nearest names.
const maxNearest = 3

// Nearest names the candidate nearest to a mistyped word, and up to two that are
// hardly farther from it; none if none is near. Each is named once.
func Nearest(word string, candidates []string) []string {
	var near []string
	for _, c := range candidates {
		if c != "" && between(word, c) < tooFar(word) && !slices.Contains(near, c) {
			near = append(near, c)
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(between(word, a), between(word, b)) })
	for i, c := range near {
		if i == maxNearest || between(word, c) > between(word, near[0])+1 {
			return near[:i]
		}
	}
	return near
}

// tooFar is the distance from which on a candidate was not meant.
func tooFar(word string) int { return len(word)/2 + 2 }

// between is how far a candidate is from a word. One that only goes on, or breaks
// off, is near, and so is one about the same issue. A number alone is near to nothing else.
func between(word, candidate string) int {
	d := editDistance(word, candidate)
	for _, issue := range issues(word) {
		switch {
		case slices.Contains(issues(candidate), issue):
			d = min(d, 1)
		case strings.TrimPrefix(word, "#") == issue:
			return tooFar(word)
		}
	}
	if strings.HasPrefix(candidate, word) || strings.HasPrefix(word, candidate) {
		d = min(d, 2)
	}
	return d
}

// issues are the numbers of issues in a word: those of four digits and more.
func issues(word string) []string {
	numbers := strings.FieldsFunc(word, func(r rune) bool { return r < '0' || r > '9' })
	return slices.DeleteFunc(numbers, func(number string) bool { return len(number) < len("1000") })
}

// editDistance is Levenshtein's.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			above := row[j]
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(above+1, row[j-1]+1, diagonal+cost)
			diagonal = above
		}
	}
	return row[len(b)]
}
