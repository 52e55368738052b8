package story

import (
	"slices"

	"github.com/watchbed/watchbed/testbed"
)

// Assumptions are the values of behaviours that the scenario puts aside, without
// those that the parameters set to something else.
func Assumptions(p *testbed.Params) []string {
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
