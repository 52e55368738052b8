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
	Promise:   "The resourceVersion of an informer never goes back, restarts of its process and other API servers included.",
	Violated:  "informer goes back in time",
	Labels:    map[string]string{"went-back": "informer goes back in time"},
	Weight:    2,
	Past:      func(s *testbed.System) testbed.Past { return shownPast{s} },
	TimedPast: func(s *testbed.System) testbed.Past { return shownPast{s} },
	New:       func(s *testbed.System) testbed.Judge { return &monotonic{system: s} },
})

type monotonic struct {
	system *testbed.System
	seen   views
	tally  testbed.Tally
}

// Reset implements testbed.Judge.
func (j *monotonic) Reset() {
	j.seen.reset(j.system)
	j.tally = testbed.Tally{}
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
		newest, version := n.NewestBefore(), n.ResourceVersion()
		if newest.Version > 0 {
			j.tally.Exercised++
		}
		if version < newest.Version {
			j.tally.Violate("went-back", &wentBack{n.Name, newest.Version, version, w.NodeName(newest.Server), w.NodeName(n.Server())})
		}
	}
}

// Finding implements testbed.Judge.
func (j *monotonic) Finding(*sim.World) explore.Finding { return j.tally.Finding() }

// shownPast is the newest resourceVersion that each informer has shown.
type shownPast struct{ system *testbed.System }

// Digest implements testbed.Past.
func (p shownPast) Digest(d sim.Digest) sim.Digest {
	for _, n := range p.system.Informers() {
		d = d.Int(n.Newest())
	}
	return d
}

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
