package native

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/testbed"
)

// row is a world in which both programs run.
type row struct {
	Scenario, Etcd string
	// Change is one of upstream/overlay/undone that both programs are compiled with, empty for none.
	Change   string   `json:",omitempty"`
	Settings []string `json:",omitempty"`
}

// rows are those of the table: worlds in which something is violated in a part of the schedules, and the same with what
// mends it.
var rows = []row{
	{"issue-15220", "3.5.7", "", trusting},
	{"issue-15220", "3.6.16", "", trusting},
	{"issue-17507", "3.5.12", "", trusting},
	{"issue-17507", "3.6.16", "", trusting},
	{"consistent-list", "3.6.16", "stale-list", nil},
	{"consistent-list", "3.6.16", "", nil},
	{"resumed-watch", "3.6.16", "58545", nil},
	{"resumed-watch", "3.6.16", "", nil},
}

// trusting has Kubernetes trust the progress of every etcd, as before the check of the version.
var trusting = []string{"version-check=none"}

// changeless is the release that both programs are.
const changeless = "kubernetes@v0.37.2"

// guest is the row's guest in WebAssembly.
func (r *row) guest() string {
	if r.Change == "" {
		return changeless
	}
	return changeless + "+" + r.Change
}

// String is the row in a few words.
func (r *row) String() string {
	s := r.Scenario + " on etcd " + r.Etcd
	for _, set := range r.Settings {
		s += " " + set
	}
	if r.Change != "" {
		s += " with " + r.Change
	}
	return s
}

// params are those of the row with a design of a cache.
func (r *row) params(design string) (*testbed.Scenario, testbed.Params, error) {
	sc, err := testbed.FindScenario(r.Scenario)
	if err != nil {
		return nil, testbed.Params{}, err
	}
	p := sc.Params
	for _, s := range append([][2]string{{"etcd", r.Etcd}, {"cache", design}}, pairs(r.Settings)...) {
		if err := p.Set(s[0], s[1]); err != nil {
			return nil, p, err
		}
	}
	return sc, p, nil
}

// claims are the properties that the row's scenario claims.
func (r *row) claims(t *testing.T) []string {
	sc, err := testbed.FindScenario(r.Scenario)
	require.NoError(t, err)
	var all []string
	for _, p := range sc.Claims {
		all = append(all, p.Name)
	}
	return all
}

// rate is in how many of the schedules something happened.
type rate struct{ Violated, Schedules int }

// String has the exact 95 % interval in percent.
func (r rate) String() string {
	low, high := metric.Interval(r.Violated, r.Schedules)
	return fmt.Sprintf("%d of %d (%.3g to %.3g %%)", r.Violated, r.Schedules, 100*low, 100*high)
}

// differs reports whether two rates are unlikely to be of one chance.
func (r rate) differs(other rate) bool { return r.p(other) < unlikely }

// p is the probability of rates that are at least as far apart, if they are of one chance.
func (r rate) p(other rate) float64 {
	return metric.FisherTwoSided(r.Violated, r.Schedules, other.Violated, other.Schedules)
}

// unlikely is a probability: with some tens of comparisons in the table none is expected to be below it by chance.
const unlikely = 0.001

// measured is what came of a row.
type measured struct {
	row
	// Same is how many of the schedules told the same natively and in WebAssembly, first come, first served: the same
	// steps and messages, in the same order.
	Same   int
	Claims []claim
}

// claim is a property that the scenario claims: how often it was violated natively, in WebAssembly with all that the
// scheduler leaves open chosen at random, and there first come, first served.
type claim struct {
	Property               string
	Native, Random, Served rate
}

func (c *claim) p() float64 { return c.Native.p(c.Random) }
