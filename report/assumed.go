package report

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/scenarios"
)

// assumptions are the values of behaviours that the scenario puts aside, without
// those that somebody has set to something else.
func assumptions(p *scenarios.Params) []string {
	b, err := p.Behaviours()
	if err != nil {
		return nil
	}
	var have []string
	for _, d := range b.Dimensions() {
		have = append(have, d.Name+"="+d.Value)
	}
	return slices.DeleteFunc(slices.Clone(p.Assume), func(set string) bool { return !slices.Contains(have, set) })
}

// sayAssumed says so in a sentence. What no release of etcd has is worth more than
// a name: "holds" rests on it.
func sayAssumed(assumed []string) string {
	s := "Assumed by the scenario: " + strings.Join(assumed, ", ") + "."
	if slices.Contains(assumed, createdInOrder) {
		s += " No release has " + createdInOrder + ": simrun run rewatch shows what may happen without it."
	}
	return s
}

const createdInOrder = "created=in-order"
