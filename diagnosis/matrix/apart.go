package matrix

import (
	"context"
	"slices"

	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
)

// Reference is the design that the others are compared with: KEP-2340 as it was
// merged, which waits, times out and never falls back. A scenario in which even it is
// violated says something of etcd or of watch caches, and little of one design.
const Reference = "kep-2340"

// basis are the scenarios that every cell is put to.
func basis() []string { return slices.Concat(Safety, Liveness, Costs) }

// plan is what one cell is to be asked: the basis, and these scenarios.
type plan struct {
	design, version string
	// also are the versions that behave alike.
	also  []string
	apart []apart
}

// plans are in the order of the cells. They take seconds if there are many, so that an
// interrupt is looked for at each.
func (cfg *Config) plans(ctx context.Context) ([]plan, error) {
	var all []plan
	for _, design := range cfg.Designs {
		for _, version := range cfg.Versions {
			if ctx.Err() != nil {
				return nil, errInterrupted
			}
			all = append(all, plan{design: design, version: version, apart: cfg.apart(version, design)})
		}
	}
	return cfg.fold(all), nil
}

// apart is a scenario that tells a design from the reference: these properties are
// known to be violated with the design, and not with the reference.
type apart struct {
	scenario   *testbed.Scenario
	properties []string
}

// apart lists the scenarios outside of the basis that tell this design from the
// reference on one version of etcd.
func (cfg *Config) apart(version, design string) []apart {
	var all []apart
	for _, sc := range testbed.Scenarios() {
		p, err := cfg.params(sc, version, design)
		if err != nil || slices.Contains(basis(), sc.Name) || !isOf(&p) {
			continue
		}
		reference, err := cfg.params(sc, version, Reference)
		if err != nil {
			continue
		}
		passed := known.Names(known.Violations(sc, &reference))
		differs := slices.DeleteFunc(known.Names(known.Expected(sc, &p)), func(name string) bool { return slices.Contains(passed, name) })
		if len(differs) > 0 {
			all = append(all, apart{sc, differs})
		}
	}
	return all
}

// isOf reports whether a scenario says something of a design on the version that it
// is given: no other version takes part, and nothing happens that no network does.
func isOf(p *testbed.Params) bool {
	other := slices.ContainsFunc(p.MemberVersions(), func(v string) bool { return v != p.Etcd })
	unbearable := slices.ContainsFunc(p.Faults.Set(), func(s option.Setting) bool { return slices.Contains(faults.Unbearable, s.Name) })
	return !other && !unbearable
}
