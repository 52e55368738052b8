package follower_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/internal/simtest"
	_ "github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/follower"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

func init() {
	cache.RegisterDesign(cache.Design{
		Preset: option.Preset{Name: "test-follower", Doc: "answers every LIST at once from what it has"},
		New: func(c cache.Config) sim.Node {
			return follower.New(c, func(f *follower.Follower, _ *sim.Env, l *wire.ListRequest) sim.Payload {
				return f.Contents(l.Prefix)
			})
		},
	})
}

func params(version string) testbed.Params {
	p := scenarios.Outages.Params
	p.Cache, p.Etcd, p.Workload.Watchers = "test-follower", version, 0
	return p
}

// TestFollowerMirrorsEtcdAndServesStaleReads: through breaks, restarts and
// compactions it holds what etcd had, and nothing makes it wait for a write that
// is still under way.
func TestFollowerMirrorsEtcdAndServesStaleReads(t *testing.T) {
	p := params("3.6.16")
	subjects, err := scenarios.Outages.Subjects(p)
	require.NoError(t, err)
	c, err := campaign.Run(t.Context(), subjects, campaign.Config{Seeds: 300, Workers: 1, Steps: p.Clock.Steps})
	require.NoError(t, err)
	verdicts := map[string]model.Verdict{}
	for _, property := range c.Properties {
		verdicts[property.Name] = property.Verdict
	}
	assert.Equal(t, model.Holds, verdicts[caches.MatchEtcd.Name])
	assert.Equal(t, model.Violated, verdicts[reads.LinearizableData.Name])
}

func TestFollowerDeclaresWhatItTouches(t *testing.T) {
	p := params("3.6.16")
	system, err := scenarios.Outages.New(p)
	require.NoError(t, err)
	runner := explore.NewRunner(system, p.Clock.Steps)
	s := simtest.NewSwapper(1)
	for s.Swapped < 5_000 && len(s.Wrong) == 0 {
		s.Begin()
		runner.Run(s)
	}
	assert.Empty(t, s.Wrong)
}

// TestFollowerCannotBeRecreated: the fault would do nothing, so it is refused.
func TestFollowerCannotBeRecreated(t *testing.T) {
	p := params("3.6.16")
	p.Faults.Recreations = 2
	_, err := scenarios.Outages.Subjects(p)
	require.EqualError(t, err, "recreations=2: the cache design test-follower has a node of its own, "+
		"which cannot be recreated in its process; set recreations=0, or use restarts")
}

// TestSnapshotsOfAFollowerCannotGetLost: it has none that the fault knows of.
func TestSnapshotsOfAFollowerCannotGetLost(t *testing.T) {
	p := params("3.6.16")
	p.Faults.LostEvents, p.Faults.Lost = 1, "snapshot"
	_, err := scenarios.Outages.Subjects(p)
	require.EqualError(t, err, "lost=snapshot: the cache design test-follower has a node of its own, "+
		"whose snapshots cannot get lost; set lost=event")
}
