package values_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/btree"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/values"
	"github.com/watchbed/watchbed/sim/arena"
)

// ring contains itself.
type ring struct {
	of   int
	next *ring
}

func rings(of ...int) *ring {
	first := &ring{of: of[0]}
	last := first
	for _, n := range of[1:] {
		last.next = &ring{of: n}
		last = last.next
	}
	last.next = first
	return first
}

// gaps has bytes between its fields that mean nothing.
type gaps struct {
	a int8
	b int64
	c bool
	d int16
}

type named interface{ name() string }

type short struct{ text string }

func (s short) name() string { return s.text }

type long struct{ text, rest string }

func (l *long) name() string { return l.text + l.rest }

func first() {}
func other() {}

// fresh is the same text somewhere else in memory.
func fresh(text string) string { return strings.Clone(text) }

func trees(of ...int) *btree.BTreeG[int] {
	t := btree.NewOrderedG[int](2)
	for _, n := range of {
		t.ReplaceOrInsert(n)
	}
	return t
}

// All values of a row are alike, and none is like one of another row.
func TestAlike(t *testing.T) {
	alike := values.Alike()
	cloned := trees(1, 2, 3)
	cloned.Clone()
	type x struct{ v any }
	rows := map[string][]any{
		"number":                   {x{1}, x{1}},
		"another number":           {x{2}},
		"another type":             {x{int8(1)}},
		"nothing":                  {x{nil}, x{}},
		"fraction":                 {&[]float64{0}, &[]float64{math.Copysign(0, -1)}},
		"another fraction":         {&[]float64{0.5}},
		"text":                     {&long{"a", "b"}, &long{fresh("a"), fresh("b")}},
		"another text":             {&long{"ab", ""}},
		"fields with gaps":         {&gaps{1, 2, true, 3}, &gaps{1, 2, true, 3}},
		"first of them differs":    {&gaps{0, 2, true, 3}},
		"last of them differs":     {&gaps{1, 2, true, 4}},
		"none":                     {&[]int{}, new([]int)},
		"several":                  {&[]int{1, 2}, &[]int{1, 2}},
		"in another order":         {&[]int{2, 1}},
		"one more":                 {&[]int{1, 2, 3}},
		"texts":                    {&[]string{"a"}, &[]string{fresh("a")}},
		"other texts":              {&[]string{"b"}},
		"array":                    {&[2]string{"a", "b"}, &[2]string{fresh("a"), "b"}},
		"another array":            {&[2]string{"a", "c"}},
		"pointer to nothing":       {&[]*int{nil}, &[]*int{nil}},
		"pointer to something":     {&[]*int{new(int)}, &[]*int{new(int)}},
		"interface with a struct":  {&[]named{short{"a"}}, &[]named{short{fresh("a")}}},
		"another struct":           {&[]named{short{"b"}}},
		"interface with a pointer": {&[]named{&long{"a", ""}}, &[]named{&long{fresh("a"), ""}}},
		"another pointer":          {&[]named{&long{"b", ""}}},
		"interface with nothing":   {&[]named{nil}},
		"map":                      {&map[string]any{"a": 1, "b": short{"c"}}, &map[string]any{"b": short{"c"}, "a": 1}},
		"map with another value":   {&map[string]any{"a": 1, "b": short{"d"}}},
		"map with another key":     {&map[string]any{"a": 1, "c": short{"c"}}},
		"function":                 {&[]func(){first}, &[]func(){first}},
		"another function":         {&[]func(){other}},
		"ring":                     {rings(1, 2, 3), rings(1, 2, 3)},
		"another ring":             {rings(1, 2, 4)},
		"tree":                     {trees(1, 2, 3), trees(1, 2, 3), cloned},
		"another tree":             {trees(1, 2, 4)},
	}
	for name, row := range rows {
		for otherName, otherRow := range rows {
			for _, a := range row {
				for _, b := range otherRow {
					require.Equal(t, name == otherName, alike(a, b), "%s, %s", name, otherName)
				}
			}
		}
	}
}

func TestMemoryInReserveMakesNoDifference(t *testing.T) {
	type node struct {
		numbers []*int
		memory  arena.Arena[int]
	}
	a, b := &node{}, &node{}
	b.memory.Take(3)
	for _, n := range []*node{a, b} {
		n.numbers = append(n.numbers, n.memory.New())
	}
	alike := values.Alike()
	require.True(t, alike(a, b))
	*b.numbers[0]++
	require.False(t, alike(a, b))
}
