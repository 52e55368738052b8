package informers

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer/controller"
	"github.com/watchbed/watchbed/testbed"
)

// ControllerDone judges the end of a run: when nothing more can happen, or the controller has nothing more to do. It is
// exercised by each controller once.
var ControllerDone = testbed.RegisterProperty(&testbed.Property{
	Name: "controller-gets-done", Kind: testbed.Liveness,
	Promise:   "At the end a controller has acted on every object, however long it has waited for its own writes.",
	Violated:  "controller waits for ever",
	Labels:    map[string]string{"undone": "controller leaves an object"},
	Weight:    1,
	Past:      testbed.NoPast,
	TimedPast: testbed.NoPast,
	New:       func(s *testbed.System) testbed.Judge { return &controllerDone{s} },
})

type controllerDone struct{ system *testbed.System }

// Reset implements testbed.Judge.
func (*controllerDone) Reset() {}

// Finding implements testbed.Judge.
func (j *controllerDone) Finding(w *sim.World) explore.Finding {
	var all testbed.Tally
	for _, n := range j.system.Informers() {
		if n.Controller() == nil || !j.system.IsOver(w) && !(n.HandlersDone() && j.system.Current(n)) {
			continue
		}
		all.Exercised++
		t := j.system.Truth()
		t.At(t.Revision()).Ascend(n.Prefix(), model.PrefixEnd(n.Prefix()), func(it *model.Item) bool {
			if controller.Marked(it.Value) == 0 {
				all.Violate("undone", &undone{n.Name, it})
			}
			return !all.Violated()
		})
	}
	return all.Finding()
}

// undone is an object that a controller never acts on.
type undone struct {
	informer string
	object   *model.Item
}

func (u *undone) String() string {
	return fmt.Sprintf("the controller of %s never marks %s=%s of revision %d", u.informer, u.object.Key, u.object.Value, u.object.ModRevision)
}

// Concerns implements explore.Concerned.
func (u *undone) Concerns() explore.Concern {
	return explore.Concern{Node: u.informer, Key: u.object.Key, Revision: u.object.ModRevision}
}
