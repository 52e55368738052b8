package testbed

import (
	"slices"
	"strings"
)

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

// Setup is what parameters come to: what is known to be violated depends on it.
type Setup struct {
	Params *Params
	// Nodes are the options of etcd, the client library and the cache: what version,
	// design, masks, settings and bugs come to, each on top of those before.
	Nodes Nodes
}

// Setup computes what the parameters come to. The error is that of Nodes.
func (p *Params) Setup() (*Setup, error) {
	n, err := p.Nodes()
	return &Setup{Params: p, Nodes: n}, err
}
