package starts

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// over reports whether all the time of a run has passed. Without a clock it never has.
func over(w *sim.World, s *testbed.System) bool {
	return w.Mode() == sim.Timed && w.Now() >= sim.Time(s.Params().Clock.Horizon)
}
