package informers

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer/controller"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/truth"
)

// CatchUp judges the end of a run: when nothing more can happen, in a timed run
// when its time is over. A run that was cut off says nothing of informers that are
// still on their way. It is exercised by each informer once.
var CatchUp = testbed.RegisterProperty(&testbed.Property{
	Name: "informer-catches-up", Kind: testbed.Liveness,
	Promise:  "At the end every informer holds what etcd has.",
	Violated: "informer never catches up",
	Labels:   map[string]string{"behind": "informer never catches up"},
	Weight:   1,
	Past:     testbed.NoPast, TimedPast: testbed.NoPast,
	New: testbed.Recorded(catchUp),
})

func catchUp(s *testbed.System, w *sim.World, all *testbed.Tally) {
	for _, n := range s.Informers() {
		switch {
		case s.Current(n):
			all.Exercised++
		case s.IsOver(w):
			all.Exercised++
			all.Violate("behind", behind(s, n))
		}
	}
}

// behind is an informer that does not hold what etcd has, and never will.
func behind(s *testbed.System, n *testbed.Informer) fmt.Stringer {
	var d *truth.Difference
	if n.Synced() {
		d = s.Compare(n, s.Truth().Revision(), n.Ascend)
	}
	about, version := explore.Concern{Node: n.Name}, n.ResourceVersion()
	switch {
	case n.Record().Panicked:
		return testbed.Wrong(about, "%s has panicked", n.Name)
	case d == nil:
		return testbed.Wrong(about, "%s never syncs", n.Name)
	case d.Got == nil:
		return testbed.Wrong(d.Concerns(), "%s stays at RV %d and is never sent %s=%s of revision %d", n.Name, version, d.Key, d.Want.Value, d.Want.ModRevision)
	case d.Want == nil:
		return testbed.Wrong(d.Concerns(), "%s stays at RV %d and keeps %s=%s, which etcd deleted at revision %d", n.Name, version, d.Key, d.Got.Value, d.Deleted)
	}
	return testbed.Wrong(d.Concerns(), "%s stays at RV %d and keeps %s of revision %d; etcd has it of revision %d", n.Name, version, d.Key, d.Got.ModRevision, d.Want.ModRevision)
}

// ControllerDone judges the end of a run: when nothing more can happen, or the controller has nothing more to do. It is
// exercised by each controller once.
var ControllerDone = testbed.RegisterProperty(&testbed.Property{
	Name: "controller-gets-done", Kind: testbed.Liveness,
	Promise:  "At the end a controller has acted on every object, however long it has waited for its own writes.",
	Violated: "controller waits for ever",
	Labels:   map[string]string{"undone": "controller leaves an object"},
	Weight:   1,
	Past:     testbed.NoPast, TimedPast: testbed.NoPast,
	New: testbed.Recorded(controllerDone),
})

func controllerDone(s *testbed.System, w *sim.World, all *testbed.Tally) {
	for _, n := range s.Informers() {
		if n.Controller() == nil || !s.IsOver(w) && !(n.HandlersDone() && s.Current(n)) {
			continue
		}
		all.Exercised++
		t := s.Truth()
		t.At(t.Revision()).Ascend(n.Prefix(), model.PrefixEnd(n.Prefix()), func(it *model.Item) bool {
			if controller.Marked(it.Value) == 0 {
				all.Violate("undone", testbed.Wrong(explore.Concern{Node: n.Name, Key: it.Key, Revision: it.ModRevision},
					"the controller of %s never marks %s=%s of revision %d", n.Name, it.Key, it.Value, it.ModRevision))
			}
			return !all.Violated()
		})
	}
}
