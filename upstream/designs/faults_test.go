package designs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// struck counts how often a fault strikes. Faults strike only where there is something to strike.
type struck struct{ times *int }

func (*struck) Reset() {}

func (*struck) Finding(*sim.World) explore.Finding { return explore.Finding{} }

func (s *struck) AfterStep(_ *sim.World, a sim.Action) {
	if a.Kind == sim.Inject {
		*s.times++
	}
}

// TestFaultsStrikeTheGuest: the watch streams that Kubernetes' clientv3 opens break, end in order, may be clogged and
// may lose an event, and clients go away.
func TestFaultsStrikeTheGuest(t *testing.T) {
	for fault, scenario := range map[string]*testbed.Scenario{
		"breaks=1": scenarios.WatchListStreams, "stream-ends=1": scenarios.WatchListStreams, "clog=true": scenarios.WatchListStreams,
		"lost-events=1": scenarios.WatchListStreams, "call-breaks=1": scenarios.ConsistentList,
	} {
		times := 0
		sc := *scenario
		sc.Claims = []*testbed.Property{{
			Name: "struck", Kind: testbed.Safety, Promise: "none", Violated: "none",
			New: func(*testbed.System) testbed.Judge { return &struck{&times} },
		}}
		explored(t, &sc, 10, "breaks=0", "restarts=0", "compactions=0", "etcd-restarts=0", fault)
		require.NotZero(t, times, fault)
	}
}
