package moments

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// Polling is a recorder that looks at all nodes after each step: the slow way, to which a test
// holds Recorder. It is no test file, because go test would build each package above this one a
// second time for the test here.
type Polling struct{ *Recorder }

// PollingOf makes one for a system that has no other.
func PollingOf(s *testbed.System) Polling { return Polling{newRecorder(s)} }

// Follows implements testbed.Follower.
func (Polling) Follows(testbed.Part) bool { return true }

// AfterStep implements testbed.StepObserver.
func (p Polling) AfterStep(w *sim.World, a sim.Action) {
	p.step = w.Steps()
	p.lookAtAll(w)
	if role := p.system.Role(a.Node); role.Part == testbed.CacheNode && heard(w) > p.notified {
		p.notified, p.caches[role.Place].Heard = heard(w), p.step
	}
}
