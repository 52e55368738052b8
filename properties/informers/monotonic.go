package informers

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// Monotonic is about kubernetes/kubernetes#59848. It is exercised whenever an
// informer shows a resourceVersion after it had shown one before.
var Monotonic = testbed.RegisterProperty(&testbed.Property{
	Name: "informer-monotonic", Kind: testbed.Safety,
	Promise:  "The resourceVersion of an informer never goes back, restarts of its process and other API servers included.",
	Violated: "informer goes back in time",
	Labels:   map[string]string{"went-back": "informer goes back in time"},
	Weight:   2,
	New:      func(s *testbed.System) testbed.Judge { return &monotonic{system: s} },
})

type monotonic struct {
	system *testbed.System
	seen   views
	newest []shown
	tally  testbed.Tally
}

// shown is the newest resourceVersion that an informer has shown, and the node
// that it had it from.
type shown struct {
	version int64
	from    sim.NodeID
}

// Reset implements testbed.Judge.
func (j *monotonic) Reset() {
	j.seen.reset(j.system)
	j.tally, j.newest = testbed.Tally{}, j.newest[:0]
	for range j.system.Informers() {
		j.newest = append(j.newest, shown{})
	}
}

// Follows implements testbed.Follower.
func (*monotonic) Follows(p testbed.Part) bool {
	return p == testbed.InformerNode || p == testbed.TheWorld
}

// AfterStep implements testbed.StepObserver.
func (j *monotonic) AfterStep(w *sim.World, a sim.Action) {
	for _, n := range j.system.InformersAfter(a) {
		if !j.seen.changed(j.system, n) {
			continue
		}
		newest, version := &j.newest[n.ID-j.system.Informers()[0].ID], n.ResourceVersion()
		if newest.version > 0 {
			j.tally.Exercised++
		}
		if version < newest.version {
			j.tally.Violate("went-back", &wentBack{n.Name, newest.version, version, w.NodeName(newest.from), w.NodeName(n.Server())})
			continue
		}
		*newest = shown{version, n.Server()}
	}
}

// Finding implements testbed.Judge.
func (j *monotonic) Finding(*sim.World) explore.Finding { return j.tally.Finding() }

// wentBack is an informer that shows an older version than before.
type wentBack struct {
	informer          string
	before, after     int64
	beforeAt, afterAt string
}

func (b *wentBack) String() string {
	return fmt.Sprintf("%s had RV %d from %s, and now shows RV %d from %s", b.informer, b.before, b.beforeAt, b.after, b.afterAt)
}

// Concerns implements explore.Concerned.
func (b *wentBack) Concerns() explore.Concern {
	return explore.Concern{Node: b.informer, Revision: b.before}
}
