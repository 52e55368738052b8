package story

import (
	"slices"

	"github.com/watchbed/watchbed/testbed"
)

// Masked names what masks a race of etcd in a run with these parameters.
func Masked(p *testbed.Params) []string {
	var names []string
	for _, r := range p.Masked() {
		names = append(names, r.String())
	}
	return names
}

// Settings are the values of behaviours that the scenario sets, without those that
// a bug takes the place of.
func Settings(p *testbed.Params) []string {
	b, err := p.Behaviours()
	if err != nil {
		return nil
	}
	var have []string
	for _, d := range b.Dimensions() {
		have = append(have, d.Name+"="+d.Value)
	}
	return slices.DeleteFunc(slices.Clone(p.Settings), func(set string) bool { return !slices.Contains(have, set) })
}
