package scenarios

import (
	"flag"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed"
)

var everything = flag.Bool("catalogue.everything", false, "hold every scenario to what it expects, on each version with each design: minutes")

// TestScenariosFailAsExpectedAndNoOther holds every scenario to what it expects: on each
// version of etcd with its own design of the cache, and with each design on its
// own version. What is expected to be violated must be, and nothing else.
func TestScenariosFailAsExpectedAndNoOther(t *testing.T) {
	oneIn := testsize.Of(3, 48)
	if *everything {
		oneIn = 1
	}
	for k, sc := range testbed.Scenarios() {
		t.Run(sc.Name, func(t *testing.T) {
			t.Parallel()
			alike := map[alikeBy][]string{}
			for i, p := range combinations(sc) {
				if own := p.Etcd == sc.Params.Etcd && p.Cache == sc.Params.Cache; !own && (i+k)%oneIn != 0 {
					continue
				}
				failsAsExpected(t, sc, p, uint64(i+1)*maxSchedules, alike)
			}
		})
	}
}

// combinations are the versions and designs with which a scenario is tried, each once.
func combinations(sc *testbed.Scenario) []testbed.Params {
	var all []testbed.Params
	for _, v := range etcd.Versions() {
		for _, d := range campaigns.DesignsBeside(sc.Params.Cache) {
			if *everything || v == sc.Params.Etcd || d.Name == sc.Params.Cache {
				p := sc.Params
				p.Etcd, p.Cache = v, d.Name
				all = append(all, p)
			}
		}
	}
	return all
}

// Some violations show once in a thousand schedules: those that are expected
// are looked for until they are found, up to a bound. What is not expected has
// these many schedules to show at least, and ten times as many with
// -catalogue.everything. A timed schedule takes ten times as long as another.
//
// Most versions behave the same in most scenarios. The first schedules of all
// combinations have the same seeds: a version that behaves in them as one before with the
// same design is held to what that one violated. The others go on with seeds of their own, twice as many each time,
// since each campaign begins with trial runs.
//
// At full size every third version or design is tried beside those of the scenario: the others are for the next
// scenario. Below it there is a sixth of all that, and one version or design of 24; in a short test what is not found
// soon is not looked for.
const (
	schedulesToCompare             = 30
	timedSchedulesToCompare        = 10
	leastSchedules                 = 150
	timedLeastSchedules            = 40
	maxSchedules            uint64 = 60_000
)

// alikeBy is what tells combinations apart in their first schedules.
type alikeBy struct {
	design string
	traces explore.Hash
}

// failsAsExpected explores from this seed on, and keeps the violated properties among the runs that
// are alike.
func failsAsExpected(t *testing.T, sc *testbed.Scenario, p testbed.Params, seed uint64, alike map[alikeBy][]string) {
	t.Helper()
	seen := map[string]uint64{}
	exercised := map[string]uint64{}
	var violated []string
	var o known.Outcome
	setup, err := p.Setup()
	require.NoError(t, err)
	// Watches with initial events are refused.
	refuses := known.FindsEtcdTooOld.Holds(setup) && known.SameEtcd.Holds(setup)
	// What progress promises cannot be judged if none ever comes.
	silent := known.SendsNoProgress.Holds(setup)
	rests, err := p.ComesToRest()
	require.NoError(t, err)
	// A cache that answers no LIST has none to be judged, and a run that cannot come to rest has none of what is judged
	// then. Where etcd sends no previous values, none that is compacted makes a cache watch again.
	unasked := func(of *testbed.Property) bool {
		return of == reads.ServedAsHeld && !known.AnswersLists.Holds(setup) || of.Monitor.AtRest && !rests ||
			of == caches.Resumes && setup.Nodes.Cache.Ingestion.WithoutPrevKV
	}
	least, n := testsize.Of[uint64](leastSchedules, 25), testsize.Of[uint64](schedulesToCompare, 8)
	if p.Clock.Mode == sim.Timed {
		least, n = testsize.Of[uint64](timedLeastSchedules, 6), testsize.Of[uint64](timedSchedulesToCompare, 2)
	}
	if *everything {
		least, n = 10*least, 10*n
	}
	c := campaigns.Explored(t, sc, p, 0, n)
	as := alikeBy{p.Cache, c.Hash}
	if violated, before := alike[as]; before {
		if o := known.OutcomeOf(sc, &p, violated); len(o.Missing)+len(o.Unexpected) == 0 {
			return
		}
	}
	for tried := n; ; tried += n {
		assert.Zero(t, c.Truncated, "runs without end: etcd %s, %s", p.Etcd, p.Cache)
		violated = violated[:0]
		for _, f := range c.Properties {
			seen[f.Name] += f.Violations
			exercised[f.Name] += f.Exercised
			if seen[f.Name] > 0 {
				violated = append(violated, f.Name)
			}
		}
		untried := !refuses && !silent && slices.ContainsFunc(sc.Claims, func(claim *testbed.Property) bool {
			return exercised[claim.Name] == 0 && !unasked(claim)
		})
		if o = known.OutcomeOf(sc, &p, violated); tried >= least && len(o.Missing) == 0 && !untried || tried >= maxSchedules {
			break
		}
		if n = tried; tried < least {
			n = least - tried
		}
		c = campaigns.Explored(t, sc, p, seed+tried, n)
	}
	alike[as] = violated
	assert.Empty(t, o.Unexpected, "expected to hold on etcd %s with %s: %v", p.Etcd, p.Cache, seen)
	assert.Empty(t, known.Names(o.Missing), "expected to be violated on etcd %s with %s, and not in %d schedules", p.Etcd, p.Cache, maxSchedules)
	if refuses || silent {
		return
	}
	for _, claim := range sc.Claims {
		if !unasked(claim) {
			assert.NotZero(t, exercised[claim.Name], "%s was never put to the test on etcd %s with %s", claim.Name, p.Etcd, p.Cache)
		}
	}
}
