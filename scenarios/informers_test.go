package scenarios

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/testbed"
)

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
