package testbed

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// pollPause is how long a client waits that was not told when to come back.
const pollPause = 10 * time.Millisecond

// configurePollers makes the clients that list again and again.
func (s *System) configurePollers() {
	g := &s.params.Guard
	for i := range g.Pollers {
		s.pollers = append(s.pollers, new(workload.Poller))
		s.pollerPlans = append(s.pollerPlans, workload.PollerPlan{
			To:    s.topology.Cache(i, i),
			List:  &wire.ListRequest{Prefix: topology.Prefix(i % s.topology.Resources), ResourceVersion: wire.Unset},
			Think: s.think(), Patience: g.Patience, HonoursRetryAfter: g.Honour, Pause: pollPause,
			Healed: sim.Time(s.params.FaultsFor), Bystander: i%len(s.servers) != 0,
		})
		s.number()
	}
}

func (s *System) buildPollers(w *sim.World) {
	for i, p := range s.pollers {
		p.Reset(topology.Numbered("poller", i, len(s.pollers)), s.pollerPlans[i])
		w.Add(p.Name(), p)
	}
}

// Pollers are the clients that list again and again.
func (s *System) Pollers() []*workload.Poller { return s.pollers }
