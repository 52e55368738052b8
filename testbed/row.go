package testbed

import "slices"

// Row is one thing that is known: where all conditions hold, these properties are
// violated.
type Row struct {
	// When are the conditions; none is always.
	When     []Condition
	Violates []*Property
	// Rarely: a campaign may miss the violation.
	Rarely bool
	// Because is the reason in one sentence, with the numbers of issues.
	Because string
}

// Holds reports whether all conditions do.
func (r *Row) Holds(s *Setup) bool {
	return !slices.ContainsFunc(r.When, func(c Condition) bool { return !c.Holds(s) })
}

// Conditions are the parts of the sentence: "when ...", "and ...", "unless ...".
func (r *Row) Conditions() []string {
	var parts []string
	word := "when "
	for _, c := range r.When {
		if c.negated {
			parts = append(parts, c.String())
			continue
		}
		parts = append(parts, word+c.String())
		word = "and "
	}
	return parts
}
