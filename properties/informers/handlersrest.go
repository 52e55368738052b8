package informers

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// HandlersRest judges the end of a run: when nothing more can happen, in a timed run when its time is over. It is
// exercised by each shared informer once.
var HandlersRest = testbed.RegisterProperty(&testbed.Property{
	Name: "handlers-come-to-rest", Kind: testbed.Liveness,
	Promise:  "At the end every handler has been added, has synced and knows what etcd has, and an informer that was stopped has ended.",
	Violated: "handler never comes to rest",
	Labels: map[string]string{
		"deadlock": "goroutines wait for each other", "unsynced": "handler never syncs", "behind": "handler never catches up",
		"waiting": "handler never told", "stopped": "informer never ends",
	},
	Weight:    1,
	Past:      testbed.NoPast,
	TimedPast: testbed.NoPast,
	New:       func(s *testbed.System) testbed.Judge { return &handlersRest{s} },
})

type handlersRest struct{ system *testbed.System }

// Reset implements testbed.Judge.
func (*handlersRest) Reset() {}

// Finding implements testbed.Judge.
func (j *handlersRest) Finding(w *sim.World) explore.Finding {
	var all testbed.Tally
	for _, n := range j.system.Informers() {
		s := n.Shared()
		if s == nil {
			continue
		}
		over := j.system.IsOver(w)
		if !over && !n.HandlersDone() {
			continue
		}
		all.Exercised++
		if waits := s.Waits(); over && waits != "" {
			all.Violate("deadlock", &stuck{n.Name, n.Name + " hangs: " + waits})
			continue
		}
		if over && s.Stopping() {
			all.Violate("stopped", &stuck{n.Name, n.Name + " was stopped and never ends, although none of its goroutines waits for another"})
			continue
		}
		if !over && !j.system.Current(n) {
			continue
		}
		for i, h := range s.Handlers() {
			if h.Removed() {
				continue
			}
			name := handlerName(n, i)
			switch {
			case !h.Listens():
				all.Violate("waiting", &stuck{n.Name, name + " is never added"})
			case h.Pending() > 0:
				all.Violate("waiting", &stuck{n.Name, fmt.Sprintf("%s is never told of %d changes", name, h.Pending())})
			case !h.HasSynced():
				all.Violate("unsynced", &stuck{n.Name, name + " never syncs"})
			default:
				if d := j.system.Compare(n, j.system.Truth().Revision(), func(f func(*wire.KeyValue) bool) { h.Ascend(f) }); d != nil {
					all.Violate("behind", &stuck{n.Name, name + " is never told: " + d.String()})
				}
			}
		}
	}
	return all.Finding()
}

// stuck is a handler that never comes to rest.
type stuck struct{ informer, what string }

func (s *stuck) String() string { return s.what }

// Concerns implements explore.Concerned.
func (s *stuck) Concerns() explore.Concern { return explore.Concern{Node: s.informer} }
