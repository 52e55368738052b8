package scenarios

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// TestInformerScenariosReachTheirCoveragePoints: the coverage points that a scenario is
// about come about in it.
func TestInformerScenariosReachTheirCoveragePoints(t *testing.T) {
	for _, c := range []struct {
		scenario       *testbed.Scenario
		change         func(*testbed.Params)
		coveragePoints []string
	}{
		{informers.ColdStart, nil, []string{
			"request sent again after Retry-After", "request sent again too often", "initial events ended by a bookmark",
			"stream closed before the end of its initial events", "list in place of a stream",
		}},
		{informers.ColdStart, func(p *testbed.Params) { p.Informers.List = informer.ByListWatch }, []string{"list of several pages"}},
		{informers.ColdStart, func(p *testbed.Params) { p.Settings = option.Settings("initial-events-end=timer", "notify=5s") }, []string{
			"change among the initial events",
		}},
		{informers.Resume, nil, []string{"watch resumed", "position moved by a bookmark", "list and watch again"}},
		{informers.Expired, nil, []string{"watch ended by 410", "newest list after a refused resourceVersion", "watch resumed"}},
		{informers.Expired, func(p *testbed.Params) { p.Informers.List = informer.ByWatchList }, []string{
			"watch ended by 410", "newest stream after a refused resourceVersion", "initial events ended by a bookmark",
		}},
		{informers.Moves, nil, []string{"restarted", "moved to another API server", "initial events ended by a bookmark"}},
		{informers.TimeTravel, nil, []string{"restarted", "moved to another API server"}},
		{informers.Fallback, nil, []string{"list in place of a stream", "restarted", "moved to another API server"}},
		{informers.Outages, nil, []string{
			"watch ended by its timeout", "watch resumed", "watch ended by 410", "watch closed at once",
			"request sent again after Retry-After", "restarted", "moved to another API server",
		}},
		{informers.Detector, nil, []string{"streamed list compared and equal", "streamed list compared and different"}},
	} {
		t.Run(c.scenario.Name, func(t *testing.T) {
			t.Parallel()
			p := c.scenario.Params
			if c.change != nil {
				c.change(&p)
			}
			seen := map[string]uint64{}
			for _, s := range campaigns.Explored(t, c.scenario, p, 0, testsize.Of[uint64](1000, 300, 300)).CoveragePoints {
				seen[s.CoveragePoint.String()] = s.Schedules
			}
			for _, s := range c.coveragePoints {
				assert.NotZero(t, seen["informer: "+s], s)
			}
			if c.scenario == informers.Fallback {
				assert.Zero(t, seen["informer: initial events ended by a bookmark"])
			}
		})
	}
}

// What heals the loop of relists: a stream, whose resourceVersion is the least
// that is wanted; a first list that fits one page; a list that says what it
// wants; the flow of KEP-3157's appendix; or time, once etcd compacts.
func TestRelistLoopHeals(t *testing.T) {
	for _, change := range []func(*testbed.Params){
		func(p *testbed.Params) { p.Informers.List = informer.ByWatchList },
		func(p *testbed.Params) { p.Informers.Page = 0 },
		func(p *testbed.Params) { p.Informers.NotOlder = true },
		func(p *testbed.Params) { p.Informers.Newest = true },
		func(p *testbed.Params) { p.Topology.Compactors, p.Clock.Horizon = true, 15*time.Minute },
	} {
		p := informers.RelistLoop.Params
		change(&p)
		for _, f := range campaigns.Explored(t, informers.RelistLoop, p, 0, 300).Properties {
			assert.Equal(t, model.Holds, f.Verdict, f.Name)
		}
	}
}

// TestCutOffRunsDoNotBlameInformers: in a run that was cut off, an informer that
// still catches up is not violated.
func TestCutOffRunsDoNotBlameInformers(t *testing.T) {
	s, err := informers.Resume.New(informers.Resume.Params)
	require.NoError(t, err)
	for steps := 1; steps < 80; steps++ {
		r := explore.NewRunner(s, steps)
		c := strategy.Random().New(strategy.Profile{})
		c.Begin(uint64(steps))
		res := r.Run(c)
		for _, f := range res.Findings {
			require.NotEqual(t, model.Violated, f.Verdict, "%s after %d steps: %v", f.Property, steps, f.Why)
		}
	}
}
