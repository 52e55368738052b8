package testbed_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// shares are scenarios in which stores are filled, changed, listed, compacted, restored and
// taken snapshots of.
var shares = []string{
	"consistent-list", "every-read", "paged-lists", "snapshot-reads", "recovery", "informer-expired", "compacted-history",
	"any-requests", "any-etcd-requests", "lagging-member", "detectors", "seats",
}

// A run is the same in a world in which others ran before as in one of its own.
func TestRunsThatShareTheirObjectsAreAsIfAlone(t *testing.T) {
	const seeds = 6
	found := 0
	for _, sc := range testbed.Scenarios() {
		for _, name := range shares {
			if sc.Name != name {
				continue
			}
			found++
			t.Run(name, func(t *testing.T) {
				p := sc.Params
				p.Workload.Items = 150
				fresh := func() *explore.Runner {
					s, err := sc.New(p)
					require.NoError(t, err)
					return explore.NewRunner(s, p.Clock.Steps)
				}
				shared := fresh()
				chooser := strategy.Random().For(shared)
				for seed := range uint64(seeds) {
					chooser.Begin(seed)
					got := shared.Run(chooser).TraceHash
					alone := fresh()
					other := strategy.Random().For(alone)
					other.Begin(seed)
					require.Equal(t, alone.Run(other).TraceHash, got, "seed %d", seed)
				}
			})
		}
	}
	require.Equal(t, len(shares), found)
}

// meddler is a system of which one run changes an object that etcd began with, which all runs
// share.
type meddler struct {
	*testbed.System
	runs, in int
}

func (m *meddler) Judge(w *sim.World) []explore.Finding {
	if m.runs++; m.runs == m.in {
		m.Caches()[0].Mirror.Ascend(func(kv *wire.KeyValue) bool {
			if kv.ModRevision <= m.History().Initial.Revision {
				kv.Value += ", changed"
			}
			return true
		})
	}
	return m.System.Judge(w)
}

// A campaign repeats runs in a world of their own: one that saw what another had changed in what
// they share is not the same there.
func TestARunThatChangesWhatIsSharedIsNoticed(t *testing.T) {
	sc := growthScenario(t, "issue-15220")
	p := sc.Params
	p.Workload.Items, p.Workload.Read = 150, "page"
	for _, in := range []int{0, 2} {
		made := 0
		_, err := campaign.Run(context.Background(), func() explore.Subject {
			s, err := sc.New(p)
			require.NoError(t, err)
			// The first is for trials, the second runs the seeds, and the third repeats them.
			if made++; made == 2 {
				return &meddler{System: s, in: in}
			}
			return &meddler{System: s}
		}, campaign.Config{Strategy: strategy.Random(), Seeds: 20, Workers: 1, RecheckShare: 1})
		var differs *campaign.NondeterminismError
		require.Equal(t, in > 0, errors.As(err, &differs), "%v", err)
	}
}

func growthScenario(t *testing.T, name string) *testbed.Scenario {
	for _, sc := range testbed.Scenarios() {
		if sc.Name == name {
			return sc
		}
	}
	t.Fatal("no scenario " + name)
	return nil
}
