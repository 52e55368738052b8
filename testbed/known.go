package testbed

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/internal/registry"
	"github.com/watchbed/watchbed/sim/option"
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

// Race is a race that every release of etcd has and that the test bed masks: an
// option of etcd gets a value that no release has. Otherwise every scenario of a
// cache would be violated once in some thousand schedules, whatever it is about. A
// scenario that is about the race unmasks it (Params.Unmask).
type Race struct {
	// Option and Value are what masks the race.
	Option, Value string
	// What happens where it is not masked.
	What string
	// Scenario shows it.
	Scenario string
	// Reason is why it is masked elsewhere.
	Reason string
}

// String is the option with its value.
func (r *Race) String() string { return r.Option + "=" + r.Value }

var races = []Race{
	{
		Option: "created", Value: "in-order",
		What: "Created of a new watch can be sent before older progress", Scenario: "rewatch",
		Reason: "it takes two rare races, and then breaks what every cache with progress requests promises",
	},
}

// Races lists what is masked unless a scenario says otherwise.
func Races() []Race { return slices.Clone(races) }

// Masked are the races that are masked with these parameters: a bug or a setting
// of the same option takes the place of a mask.
func (p *Params) Masked() []Race {
	n, err := p.Nodes()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(Races(), func(r Race) bool {
		return slices.Contains(p.Unmask, r.Option) || n.Value(r.Option) != r.Value
	})
}

// masks are the settings that mask what is not unmasked.
func (p *Params) masks() []option.Setting {
	var all []option.Setting
	for _, r := range races {
		if !slices.Contains(p.Unmask, r.Option) {
			all = append(all, option.Setting{Name: r.Option, Value: r.Value})
		}
	}
	return all
}

// AsReleased are the parameters without bugs, settings and masks: what is left are
// the versions and the design.
func (p *Params) AsReleased() Params {
	released := *p
	released.Bugs, released.Settings, released.Unmask = nil, nil, nil
	released.Topology.MemberSettings, released.Topology.ServerSettings = nil, nil
	for _, r := range races {
		released.Unmask = append(released.Unmask, r.Option)
	}
	return released
}

func checkUnmask(names []string) error {
	var known []string
	for _, r := range races {
		known = append(known, r.Option)
	}
	for _, n := range names {
		if !slices.Contains(known, n) {
			return fmt.Errorf("unmask=%s: no race of this name is masked%s", n, registry.Suggest(n, known))
		}
	}
	return nil
}
