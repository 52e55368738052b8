package known

import (
	"slices"

	"github.com/watchbed/watchbed/internal/registry"
	"github.com/watchbed/watchbed/testbed"
)

// Violation is a claim that is known to be violated with some parameters.
type Violation struct {
	Property *testbed.Property
	// Rarely: a campaign may miss it.
	Rarely bool
	// Because are the reasons: those of the rows that hold. If some of these do not
	// say "rarely", they are the reasons.
	Because []string
}

// Violations are the known violations of a scenario with these parameters, in the
// order of its claims. There are none if the parameters do not fit together.
func Violations(sc *testbed.Scenario, p *testbed.Params) []Violation {
	s, err := p.Setup()
	if err != nil {
		return nil
	}
	rows := slices.DeleteFunc(slices.Concat(Rows(sc), plantedElsewhere(sc)), func(r testbed.Row) bool { return !r.Holds(s) })
	var all []Violation
	for _, claim := range sc.Claims {
		mine := slices.DeleteFunc(slices.Clone(rows), func(r testbed.Row) bool { return !slices.Contains(r.Violates, claim) })
		if len(mine) > 0 {
			all = append(all, violation(claim, mine))
		}
	}
	return all
}

// violation is what rows about a claim come to.
func violation(claim *testbed.Property, rows []testbed.Row) Violation {
	v := Violation{Property: claim, Rarely: !slices.ContainsFunc(rows, func(r testbed.Row) bool { return !r.Rarely })}
	for _, r := range rows {
		if r.Rarely == v.Rarely && !slices.Contains(v.Because, r.Because) {
			v.Because = append(v.Because, r.Because)
		}
	}
	return v
}

// Expected are the violations that a campaign must not miss.
func Expected(sc *testbed.Scenario, p *testbed.Params) []Violation {
	return slices.DeleteFunc(Violations(sc, p), func(v Violation) bool { return v.Rarely })
}

// Outcome is what a campaign found, beside what is known.
type Outcome struct {
	// Explained are the known violations that were found, Missing the violations that
	// had to be found and were not.
	Explained, Missing []Violation
	// Unexpected are the properties of which no violation is known.
	Unexpected []string
}

// OutcomeOf compares the claims that a campaign found violated, by name, with what
// is known.
func OutcomeOf(sc *testbed.Scenario, p *testbed.Params, violated []string) Outcome {
	var o Outcome
	all := Violations(sc, p)
	for _, v := range all {
		switch {
		case slices.Contains(violated, v.Property.Name):
			o.Explained = append(o.Explained, v)
		case !v.Rarely:
			o.Missing = append(o.Missing, v)
		}
	}
	for _, name := range violated {
		if !slices.Contains(Names(all), name) {
			o.Unexpected = registry.With(o.Unexpected, name)
		}
	}
	return o
}

// Names are those of the properties, in the same order.
func Names(all []Violation) []string {
	var names []string
	for _, v := range all {
		names = append(names, v.Property.Name)
	}
	return names
}
