package evidence_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/evidence"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// hidden is a cache that is hidden while its resourceVersion is odd.
type hidden struct{ *cache.Cache }

// Hidden implements cache.Hiding.
func (h hidden) Hidden() bool { return h.ResourceVersion()%2 == 1 }

var hides = cache.Design{
	Preset: option.Preset{Name: "hides", Doc: "hidden at each odd resourceVersion"},
	New:    func(c cache.Config) sim.Node { return hidden{cache.New(c)} },
}

// known counts the LISTs of which it is known that the cache was ready and trusted etcd all the time, and those of
// which it is not.
type known struct {
	system   *testbed.System
	recorded *evidence.Recorder
	yes, no  *int
	// hidden counts the calls that were answered once the cache had been hidden.
	hidden *int
}

func (*known) Reset() {}

func (k *known) Finding(*sim.World) explore.Finding {
	for i, c := range k.system.Clients() {
		for n, call := range k.recorded.Operations(i) {
			op := &c.Operations()[n]
			if call.Cache < 0 || op.Outcome != model.Done || op.Request.Kind != model.List {
				continue
			}
			if call.Answered.Cache.MayHaveListed {
				*k.hidden++
			}
			if call.WasReady() && call.TrustedEtcd() {
				*k.yes++
				continue
			}
			*k.no++
		}
	}
	return explore.Finding{Verdict: model.Holds, Exercised: 1}
}

// TestNothingIsKnownOfAHiddenCache: of a cache that was hidden while a client waited it is not known that it was ready
// and trusted etcd all the time. Of the same cache that is never hidden it is.
func TestNothingIsKnownOfAHiddenCache(t *testing.T) {
	cache.RegisterDesign(hides)
	of := func(design string) (yes, no, hidden int) {
		sc := *scenarios.ConsistentList
		sc.Claims = []*testbed.Property{{Name: "known", New: func(s *testbed.System) testbed.Judge {
			return &known{s, evidence.Of(s), &yes, &no, &hidden}
		}}}
		p := sc.Params
		p.Cache, p.Faults.Restarts, p.Faults.Breaks, p.Workload.AwaitReady = design, 0, 0, true
		s, err := sc.New(p)
		require.NoError(t, err)
		runner := explore.NewRunner(s, p.Clock.Steps)
		chooser := strategy.Default().For(runner)
		for seed := range uint64(40) {
			chooser.Begin(seed)
			runner.Run(chooser)
		}
		return yes, no, hidden
	}
	yes, no, hidden := of("kep-2340")
	require.Greater(t, yes, 9*no)
	require.Zero(t, hidden)
	yes, no, hidden = of("hides")
	require.NotZero(t, hidden)
	require.Less(t, hidden, yes+no)
	require.Greater(t, 3*no, yes)
	require.NotZero(t, yes, "at an even resourceVersion it is known")
}
