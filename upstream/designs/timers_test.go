package designs

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// shortestWait keeps how long the reads of a run took that were refused since the cache was behind, the shortest of
// all runs.
type shortestWait struct {
	system   *testbed.System
	shortest *time.Duration
}

func (*shortestWait) Reset() {}

func (s *shortestWait) Finding(*sim.World) explore.Finding {
	for _, c := range s.system.Clients() {
		spans := c.Spans()
		for i, op := range c.Operations() {
			if op.Outcome != model.Failed || op.Result.Err != model.TimedOut {
				continue
			}
			if took := spans[i].Return.Sub(spans[i].Call); took >= waited && (*s.shortest == 0 || took < *s.shortest) {
				*s.shortest = took
			}
		}
	}
	return explore.Finding{}
}

// waited is less than the cacher waits, and more than etcd takes to refuse a revision that it does not have.
const waited = time.Second

// TestGuestTimersAreExact: the cacher refuses a read of a future revision after 3 s (blockTimeout). A nanosecond more
// would be one that a judge counts.
func TestGuestTimersAreExact(t *testing.T) {
	sc := *scenarios.FutureReads
	shortest := time.Duration(0)
	sc.Claims = []*testbed.Property{{
		Name: "shortest-wait", Kind: testbed.Safety, Promise: "none", Violated: "none",
		New: func(s *testbed.System) testbed.Judge { return &shortestWait{s, &shortest} },
	}}
	explored(t, &sc, 12, "network=1ns", "scheduling=1ns")
	require.Equal(t, 3*time.Second, shortest)
}
