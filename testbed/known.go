package testbed

import (
	"slices"
	"strings"
)

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

// Holds reports whether all conditions do; of one API server if these have different
// options.
func (r *Row) Holds(s *Setup) bool {
	return slices.ContainsFunc(s.ofServers(), func(of *Setup) bool {
		return !slices.ContainsFunc(r.When, func(c Condition) bool { return !c.Holds(of) })
	})
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

// Condition is something that holds with some parameters and not with others, with
// a sentence: "the cache asks etcd for progress". Traits of a design, behaviours of
// etcd and circumstances of a scenario are conditions. They are Go variables, so
// that a name which does not exist does not compile.
type Condition struct {
	text  string
	holds func(*Setup) bool
	// negated: it is the text of an exception.
	negated bool
}

// NewCondition makes a condition. The text is a clause without a full stop. If the
// condition is one value of one option, the text ends with it in parentheses:
// "(progress=control-queue)".
func NewCondition(text string, holds func(*Setup) bool) Condition {
	return Condition{text: text, holds: holds}
}

// String is the sentence.
func (c Condition) String() string {
	if c.negated {
		return "unless " + c.text
	}
	return c.text
}

// Holds reports whether the condition holds.
func (c Condition) Holds(s *Setup) bool { return c.holds(s) }

// Unless holds where the condition does not: an exception in a row.
func Unless(c Condition) Condition {
	return Condition{text: c.text, holds: func(s *Setup) bool { return !c.holds(s) }, negated: !c.negated}
}

// AnyOf holds where one of the conditions does.
func AnyOf(conditions ...Condition) Condition {
	var texts []string
	for _, c := range conditions {
		texts = append(texts, c.String())
	}
	return NewCondition(strings.Join(texts, ", or "), func(s *Setup) bool {
		return slices.ContainsFunc(conditions, func(c Condition) bool { return c.holds(s) })
	})
}
