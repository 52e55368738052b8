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

// TestFaultsOfStreamsStrikeTheGuest: the watch streams that Kubernetes' clientv3 opens break, end in order, and may be clogged.
func TestFaultsOfStreamsStrikeTheGuest(t *testing.T) {
	for _, fault := range []string{"breaks=1", "stream-ends=1", "clog=true"} {
		times := 0
		sc := *scenarios.WatchListStreams
		sc.Claims = []*testbed.Property{{
			Name: "struck", Kind: testbed.Safety, Promise: "none", Violated: "none",
			New: func(*testbed.System) testbed.Judge { return &struck{&times} },
		}}
		explored(t, &sc, 10, "breaks=0", "restarts=0", "compactions=0", fault)
		require.NotZero(t, times, fault)
	}
}
