package plans

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// listRetries is how often a client asks again that was not sent the end of its
// initial events: enough for every fault of the catalogue.
const listRetries = 8

// ListWatch is what the i-th client does that asks for initial events.
func ListWatch(o *workload.Options, t *topology.Topology, i int) workload.ListWatchPlan {
	w := &o.ListWatch
	plan := workload.ListWatchPlan{
		Prefix: topology.Prefix(i % t.Resources), First: o.FirstRevision(), Rounds: w.Rounds, Retries: listRetries,
		Slow: w.Slow, Pace: w.Pace, Seconds: int64(w.For / time.Second), Follow: Think(o), AwaitReady: o.AwaitReady,
	}
	versions := w.Versions()
	for j := range versions {
		plan.Versions = append(plan.Versions, versions[(i+j)%len(versions)])
	}
	for j := range t.APIServers {
		plan.To = append(plan.To, t.Cache(i+j, i))
	}
	return plan
}

// pollPause is how long a client waits that was not told when to come back.
const pollPause = 10 * time.Millisecond

// Polling is what the i-th client does that lists again and again. Faults end at
// healed.
func Polling(o *workload.Options, t *topology.Topology, i int, healed sim.Time) workload.PollerPlan {
	return workload.PollerPlan{
		To:    t.Cache(i, i),
		List:  &wire.ListRequest{Prefix: topology.Prefix(i % t.Resources), ResourceVersion: wire.Unset},
		Think: Think(o), Patience: o.Polling.Patience, HonoursRetryAfter: o.Polling.Honour, Pause: pollPause,
		Healed: healed, Bystander: i%len(t.APIServers) != 0,
	}
}
