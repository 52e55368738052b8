package caches

import (
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/testbed"
)

// CatchUp judges the end of a run: when nothing more can happen, and with a clock when its time is over, if what a
// cache lacks was answered, and the faults were over, longer ago than it takes to list once and to be sent what
// follows. A cache that watches from a revision that etcd has compacted again and again, that does not watch again,
// or whose watch is silently dead holds an old state for ever, which is right for its resourceVersion. One whose API
// server does not start, or that shows no contents, is not judged. It is exercised by each cache that is judged, once
// a run.
var CatchUp = testbed.RegisterProperty(&testbed.Property{
	Name: "cache-catches-up", Kind: testbed.Liveness, AfterRestore: true,
	Promise:  "At the end every cache is ready and holds what etcd has.",
	Violated: "cache never catches up",
	Labels:   map[string]string{"behind": "cache never catches up", "unready": "cache is never ready"},
	Weight:   1,
	Monitor:  testbed.Monitor{Runs: testbed.Untimed, AtRest: true},
	New: testbed.RecordedBy(func(s *testbed.System) *catchingUp {
		b := s.DeliveryBound()
		return &catchingUp{s, b.Plus(relistPause, "the pause before a list").Plus(b.Total, "the list and what follows it")}
	}, (*catchingUp).judge),
})

type catchingUp struct {
	system *testbed.System
	bound  testbed.Bound
}

func (j *catchingUp) judge(w *sim.World, all *testbed.Tally) {
	s := j.system
	timed := w.Mode() == sim.Timed
	switch {
	case !s.IsOver(w):
		return
	}
	for _, c := range s.Caches() {
		starter, starts := c.Node.(cache.Starter)
		if c.Mirror == nil || c.Hidden() || starts && (starter.Starting() || starter.Aborted() != "") {
			continue
		}
		if !c.Ready() {
			if !timed {
				all.Exercised++
				waits, _ := w.Opened(c.ID)
				all.Violatef("unready", testbed.Concern{Node: c.Name}, "nothing more can happen, and %s is not ready: it waits for %s", c.Name, sim.Some(waits, "answer"))
			}
			continue
		}
		at := s.Truth().Revision()
		d := s.Truth().Compare(c.Name, at, c.Prefix(), c.Mirror.Ascend)
		if d == nil {
			all.Exercised++
		} else if since, known := j.since(w, d); !timed || known && since > j.bound.Total {
			all.Exercised++
			all.Violatef("behind", d.Concern(), "%s stays at resourceVersion %d; what it holds of %s is never what etcd has at revision %d", c.Name, c.Mirror.ResourceVersion(), d.Key, at)
		}
	}
}

// since is for how long a change has been answered, or the faults over, that a cache lacks; it is not known of a
// write without an answer.
func (j *catchingUp) since(w *sim.World, d *testbed.Difference) (time.Duration, bool) {
	rev := d.Concern().Revision
	for o := range j.system.Operations() {
		if o.Outcome == model.Done && o.Result.Revision == rev {
			return w.Now().Sub(max(o.Span.Return, sim.Time(j.system.Params().Faults.For))), true
		}
	}
	return 0, false
}
