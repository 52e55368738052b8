package matrix

import (
	"slices"

	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/release"
	"github.com/watchbed/watchbed/testbed"
)

// fold makes one plan of those of a design whose versions behave alike: the runs of each
// scenario are the same with all of them.
func (cfg *Config) fold(plans []plan) []plan {
	var folded []plan
	for _, next := range plans {
		i := slices.IndexFunc(folded, func(p plan) bool { return p.design == next.design && cfg.alike(&p, &next) })
		if i < 0 {
			folded = append(folded, next)
			continue
		}
		folded[i].also = append(folded[i].also, next.version)
	}
	return folded
}

// alike: everything that a version is made of has the same value, each version check says
// the same of it, and the same scenarios tell the design from the others.
func (cfg *Config) alike(a, b *plan) bool {
	same := func(x, y apart) bool { return x.scenario == y.scenario && slices.Equal(x.properties, y.properties) }
	if !slices.EqualFunc(a.apart, b.apart, same) {
		return false
	}
	first, left, err := cfg.bare(a)
	if err != nil {
		return false
	}
	second, right, err := cfg.bare(b)
	return err == nil && left == right && first.Program == second.Program && slices.Equal(checksPassed(first.Etcd), checksPassed(second.Etcd))
}

// bare are the parameters of a cell without a scenario and without masks, and what its nodes have of them.
func (cfg *Config) bare(of *plan) (testbed.Params, testbed.Nodes, error) {
	nothing := testbed.Params{}
	for _, race := range testbed.Races() {
		nothing.Unmask = append(nothing.Unmask, race.Option)
	}
	p, err := cfg.params(&testbed.Scenario{Params: nothing}, of.version, of.design)
	if err != nil {
		return p, testbed.Nodes{}, err
	}
	nodes, err := p.Nodes()
	return p, nodes, err
}

// checksPassed are the answers of all version checks to a version of etcd.
func checksPassed(version string) []bool {
	v, err := release.Parse(version)
	if err != nil {
		return nil
	}
	var all []bool
	for i := range guard.Group.Lookup("version-check").Values() {
		all = append(all, guard.Checks.Of(guard.VersionCheck(i))().Passes(v))
	}
	return all
}
