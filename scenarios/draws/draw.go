package draws

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// drawn are the scenarios that have draws.
func drawn() []string {
	var names []string
	for _, sc := range testbed.Scenarios() {
		if len(sc.Draws) > 0 {
			names = append(names, sc.Name)
		}
	}
	return names
}

// Of are the parameters of a scenario with what is drawn from n: about half of its
// ranges get one of their values, the others stay as they are. change is made on top of
// that, and a setting that makes no system with it is left out; change may be nil. The
// error says that the scenario has no draws, or is that of change or of the scenario
// without any draw.
func Of(sc *testbed.Scenario, n uint64, change func(*testbed.Params) error) (testbed.Params, error) {
	if len(sc.Draws) == 0 {
		return testbed.Params{}, fmt.Errorf("the scenario %s has nothing to draw; there are draws of %s", sc.Name, strings.Join(drawn(), " and "))
	}
	settings := Settings(sc, n)
	p, err := with(sc, settings, change)
	if err == nil {
		return p, nil
	}
	// At least two settings do not fit together: the later ones are left out.
	var fitting []option.Setting
	for _, s := range settings {
		if _, err := with(sc, append(fitting, s), change); err == nil {
			fitting = append(fitting, s)
		}
	}
	return with(sc, fitting, change)
}

// with are the parameters of the scenario with these settings and the change, if they
// make a system.
func with(sc *testbed.Scenario, settings []option.Setting, change func(*testbed.Params) error) (testbed.Params, error) {
	p := sc.Params
	for _, s := range settings {
		if err := p.Set(s.Name, s.Value); err != nil {
			return p, err
		}
	}
	if change != nil {
		if err := change(&p); err != nil {
			return p, err
		}
	}
	_, err := sc.New(p)
	return p, err
}

// Settings are what is drawn from n for a scenario, whether it fits together or not. Each
// range is drawn by itself: one that is added to a scenario changes no other.
func Settings(sc *testbed.Scenario, n uint64) []option.Setting {
	var all []option.Setting
	for _, r := range sc.Draws {
		random := sim.NewDigest.Text(r.Name).Word(n).Word(uint64(len(r.Values))).Sum()
		if i, _ := bits.Mul64(random, 2*uint64(len(r.Values))); i < uint64(len(r.Values)) {
			all = append(all, option.Setting{Name: r.Name, Value: r.Values[i]})
		}
	}
	return all
}
