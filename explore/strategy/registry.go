package strategy

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// registered is in the order of All.
var registered []Strategy

// Register adds a strategy, in an init function. It panics if the name is taken
// or something is missing: that is a mistake in the program.
func Register(s Strategy) {
	if s.Name == "" || s.Summary == "" || s.New == nil {
		panic(fmt.Sprintf("strategy: %q needs a name, a summary and a function New", s.Name))
	}
	if slices.ContainsFunc(registered, func(other Strategy) bool { return other.Name == s.Name }) {
		panic(fmt.Sprintf("strategy: %q is registered twice", s.Name))
	}
	registered = append(registered, s)
	slices.SortFunc(registered, func(a, b Strategy) int {
		return cmp.Or(cmp.Compare(a.place(), b.place()), cmp.Compare(a.Name, b.Name))
	})
}

func (s Strategy) place() int {
	if s.Place == 0 {
		return math.MaxInt
	}
	return s.Place
}

// All returns the registered strategies, by place and name.
func All() []Strategy { return slices.Clone(registered) }

// Default is the strategy of a campaign that names none.
func Default() Strategy { return portfolio() }

// Find returns the strategy of that name, or an error that lists the names.
func Find(name string) (Strategy, error) {
	names := make([]string, len(registered))
	for i, s := range registered {
		if s.Name == name {
			return s, nil
		}
		names[i] = s.Name
	}
	return Strategy{}, fmt.Errorf("unknown strategy %q; there are %s", name, strings.Join(names, ", "))
}
