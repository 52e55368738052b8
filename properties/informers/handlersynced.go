package informers

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer/shared"
	"github.com/watchbed/watchbed/testbed"
)

// HandlerSynced judges what HasSynced of an informer and of a handler's registration says: that controllers may
// begin. The states are those of the ground truth. It is exercised by each handler that has synced, once, and by
// each notification of the initial list.
var HandlerSynced = testbed.RegisterProperty(&testbed.Property{
	Name: "handler-synced", Kind: testbed.Safety,
	Promise:  "An informer has synced only when its store has the first list, and a handler only when it was told of all of it, or of all that there was when it was added; what it is told later is not of the initial list.",
	Violated: "synced too early",
	Labels: map[string]string{
		"informer": "informer synced too early", "handler": "handler synced too early", "late": "initial list goes on too long",
	},
	Weight:    2,
	Past:      testbed.NoPast,
	TimedPast: testbed.NoPast,
	New:       func(s *testbed.System) testbed.Judge { return &handlerSynced{notified: notified{system: s}} },
})

type handlerSynced struct {
	notified
	tally testbed.Tally
}

// Reset implements testbed.Judge.
func (j *handlerSynced) Reset() {
	j.notified.reset()
	j.tally = testbed.Tally{}
}

// AfterStep implements testbed.StepObserver.
func (j *handlerSynced) AfterStep(_ *sim.World, a sim.Action) {
	j.each(a, func(n *testbed.Informer, i int, h *shared.Handler) {
		if !h.Last().Initial {
			return
		}
		j.tally.Exercised++
		if j.of(n)[i].synced {
			j.tally.Violate("late", &hasty{n.Name, handlerName(n, i), "is told of an object of the initial list after it had synced"})
		}
	})
	for _, n := range j.system.InformersAfter(a) {
		s := n.Shared()
		if s == nil {
			continue
		}
		if s.HasSynced() && !n.Synced() && j.lists(n, s.First()) {
			j.tally.Exercised++
			j.tally.Violate("informer", &hasty{n.Name, n.Name, "has synced, and its store is empty"})
		}
		before := j.of(n)
		for i, h := range s.Handlers() {
			if h.HasSynced() && !before[i].synced && !h.Removed() {
				before[i].synced = true
				j.judge(n, i, h)
			}
		}
	}
}

// lists reports whether there was an object at a resourceVersion.
func (j *handlerSynced) lists(n *testbed.Informer, version int64) bool {
	there := false
	if listed := j.system.Truth().At(version); listed != nil {
		listed.Ascend(n.Prefix(), model.PrefixEnd(n.Prefix()), func(*model.Item) bool {
			there = true
			return false
		})
	}
	return there
}

// judge looks for an object that the handler was never told of.
func (j *handlerSynced) judge(n *testbed.Informer, i int, h *shared.Handler) {
	j.tally.Exercised++
	s := n.Shared()
	since, t := max(h.Joined(), s.First()), j.system.Truth()
	listed := t.At(since)
	if listed == nil {
		return
	}
	listed.Ascend(n.Prefix(), model.PrefixEnd(n.Prefix()), func(it *model.Item) bool {
		if h.Joined() > 0 && it.ModRevision > h.Joined() {
			// The store had gone back behind its first list when the handler was added.
			return true
		}
		if heard := h.Heard(it.Key); heard == nil || heard.ModRevision < it.ModRevision {
			j.tally.Violate("handler", &hasty{n.Name, handlerName(n, i), fmt.Sprintf("has synced, and was not told of %s of revision %d", it.Key, it.ModRevision)})
		}
		return !j.tally.Violated()
	})
}

// Finding implements testbed.Judge.
func (j *handlerSynced) Finding(*sim.World) explore.Finding { return j.tally.Finding() }

// hasty is an informer or a handler that has synced before it had all.
type hasty struct{ informer, subject, what string }

func (h *hasty) String() string { return h.subject + " " + h.what }

// Concerns implements explore.Concerned.
func (h *hasty) Concerns() explore.Concern { return explore.Concern{Node: h.informer} }
