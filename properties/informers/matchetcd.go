// Package informers (unstable) has the properties of what informers hold
// (client-go's reflectors), restarts of their processes and other API servers
// included.
package informers

import (
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer/controller"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// MatchEtcd compares an informer with ground truth whenever it has listed, or its
// resourceVersion or the number of its objects has changed, which is how often it is exercised.
var MatchEtcd = testbed.RegisterProperty(&testbed.Property{
	Name: "informer-matches-etcd", Kind: testbed.Safety, AfterRestore: true,
	Promise:  "After every step an informer holds what etcd had at the informer's resourceVersion, and nothing before the first list of its process.",
	Violated: "informer differs from etcd",
	Labels:   testbed.DifferenceLabels("informer differs from etcd", "unlisted"),
	Weight:   3,
	Monitor:  testbed.Monitor{Runs: testbed.EveryRun},
	New:      testbed.EachInformer(matchEtcd),
})

func matchEtcd(s *testbed.System, _ *sim.World, n *testbed.Informer, seen *view, all *testbed.Tally) {
	if !n.Synced() {
		n.Ascend(func(kv *wire.KeyValue) bool {
			all.Violatef("unlisted", testbed.Concern{Node: n.Name, Key: kv.Key, Revision: kv.ModRevision},
				"%s has not listed yet, and holds %s of revision %d", n.Name, kv.Key, kv.ModRevision)
			return false
		})
		return
	}
	if !seen.changed(n) {
		return
	}
	all.Exercised++
	if d := s.Compare(n, n.ResourceVersion(), n.Ascend); d != nil {
		all.Violate(d.Label(), d)
	}
}

// Monotonic is about kubernetes/kubernetes#59848. It is exercised whenever an
// informer shows a resourceVersion after it had shown one before.
var Monotonic = testbed.RegisterProperty(&testbed.Property{
	Name: "informer-monotonic", Kind: testbed.Safety,
	Promise:  "The resourceVersion of an informer never goes back, restarts of its process and other API servers included.",
	Violated: "informer goes back in time",
	Labels:   map[string]string{"went-back": "informer goes back in time"},
	Weight:   2,
	Monitor:  testbed.Monitor{Runs: testbed.EveryRun, State: shownPast},
	New:      testbed.EachInformer(monotonic),
})

func monotonic(_ *testbed.System, w *sim.World, n *testbed.Informer, seen *view, all *testbed.Tally) {
	if !seen.changed(n) {
		return
	}
	newest, version := n.NewestBefore(), n.ResourceVersion()
	if newest.Version > 0 {
		all.Exercised++
	}
	if version < newest.Version {
		all.Violatef("went-back", testbed.Concern{Node: n.Name, Revision: newest.Version}, "%s had RV %d from %s, and now shows RV %d from %s",
			n.Name, newest.Version, w.NodeName(newest.Server), version, w.NodeName(n.Server()))
	}
}

// shownPast is the newest resourceVersion that each informer has shown.
func shownPast(s *testbed.System, d sim.Digest) sim.Digest {
	for _, n := range s.Informers() {
		d = d.Int(n.Newest())
	}
	return d
}

// view is what an informer showed after a step: its resourceVersion, how many objects it holds, and how often it has
// filled its store by a WatchList and by a LIST, or changed it behind its queue.
type view struct {
	version          int64
	objects          int
	streamed, listed int
	changes          int
}

// changed takes note of what an informer shows now, and reports whether it shows
// something at all that it has not shown after the last step.
func (v *view) changed(n *testbed.Informer) bool {
	before := *v
	*v = view{n.ResourceVersion(), n.Len(), n.Record().Streamed, n.Record().Listed, n.Changes()}
	return v.version != 0 && *v != before
}

// CatchUp judges the end of a run: when nothing more can happen, in a timed run
// when its time is over. A run that was cut off says nothing of informers that are
// still on their way. It is exercised by each informer once.
var CatchUp = testbed.RegisterProperty(&testbed.Property{
	Name: "informer-catches-up", Kind: testbed.Liveness, AfterRestore: true,
	Promise:  "At the end every informer holds what etcd has.",
	Violated: "informer never catches up",
	Labels:   map[string]string{"behind": "informer never catches up"},
	Weight:   1,
	Monitor:  testbed.Monitor{Runs: testbed.EveryRun},
	New:      testbed.Recorded(catchUp),
})

func catchUp(s *testbed.System, w *sim.World, all *testbed.Tally) {
	for _, n := range s.Informers() {
		switch {
		case s.Current(n):
			all.Exercised++
		case s.IsOver(w):
			all.Exercised++
			behind(all, s, n)
		}
	}
}

// behind notes an informer that does not hold what etcd has, and never will.
func behind(all *testbed.Tally, s *testbed.System, n *testbed.Informer) {
	var d *testbed.Difference
	if n.Synced() {
		d = s.Compare(n, s.Truth().Revision(), n.Ascend)
	}
	switch {
	case n.Record().Panicked:
		wrong(all, "behind", n, "%s has panicked", n.Name)
		return
	case d == nil:
		wrong(all, "behind", n, "%s never syncs", n.Name)
		return
	}
	stays := func(format string, args ...any) {
		all.Violatef("behind", d.Concern(), "%s stays at RV %d and "+format, append([]any{n.Name, n.ResourceVersion()}, args...)...)
	}
	switch {
	case d.Got == nil:
		stays("is never sent %s=%s of revision %d", d.Key, d.Want.Value, d.Want.ModRevision)
	case d.Want == nil:
		stays("keeps %s=%s, which etcd deleted at revision %d", d.Key, d.Got.Value, d.Deleted)
	default:
		stays("keeps %s of revision %d; etcd has it of revision %d", d.Key, d.Got.ModRevision, d.Want.ModRevision)
	}
}

// ControllerDone judges the end of a run: when nothing more can happen, or the controller has nothing more to do. It is
// exercised by each controller once.
var ControllerDone = testbed.RegisterProperty(&testbed.Property{
	Name: "controller-gets-done", Kind: testbed.Liveness,
	Promise:  "At the end a controller has acted on every object, however long it has waited for its own writes.",
	Violated: "controller waits for ever",
	Labels:   map[string]string{"undone": "controller leaves an object"},
	Weight:   1,
	Monitor:  testbed.Monitor{Runs: testbed.EveryRun},
	New:      testbed.Recorded(controllerDone),
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
				all.Violatef("undone", testbed.Concern{Node: n.Name, Key: it.Key, Revision: it.ModRevision},
					"the controller of %s never marks %s=%s of revision %d; %s", n.Name, it.Key, it.Value, it.ModRevision, n.Controller().Holds())
			}
			return !all.Violated()
		})
	}
}

// DetectorAccuracy is about client-go's data consistency detector
// (KUBE_WATCHLIST_INCONSISTENCY_DETECTOR). It is exercised by each of its
// comparisons.
var DetectorAccuracy = testbed.RegisterProperty(&testbed.Property{
	Name: "informer-detector-accuracy", Kind: testbed.Safety,
	Promise:  "An informer's consistency detector panics if and only if what was streamed is not what etcd had at that resourceVersion.",
	Violated: "detector is wrong",
	Labels:   map[string]string{"missed": "divergence not detected", "false-alarm": "false alarm of the detector"},
	New:      testbed.EachInformer(detectorAccuracy),
})

// detectorAccuracy judges the comparisons of an informer, of which as many were.
func detectorAccuracy(s *testbed.System, _ *sim.World, n *testbed.Informer, judged *int, all *testbed.Tally) {
	before := *judged
	if *judged = n.Record().Checked; *judged == before {
		return
	}
	all.Exercised++
	if !n.Record().Panicked {
		if d := s.Compare(n, n.ResourceVersion(), n.Ascend); d != nil {
			all.Violatef("missed", d.Concern(), "the consistency detector found nothing: %v", d)
		}
		return
	}
	if s.Compare(n, n.StreamedVersion(), n.AscendStreamed) == nil {
		wrong(all, "false-alarm", n, "the consistency detector of %s panics, and what was streamed was right", n.Name)
	}
}

// OwnWrites is KEP-5647's promise. It is exercised by each update of a controller about an object that the same process
// has updated before.
var OwnWrites = testbed.RegisterProperty(&testbed.Property{
	Name: "controller-reads-own-writes", Kind: testbed.Safety,
	Promise:  "A controller never acts on a state of an object that is older than its own last write about it, of which its process had an answer.",
	Violated: "controller acts on an old state",
	Labels:   map[string]string{"older": "controller acts on an old state"},
	Weight:   2,
	Monitor:  testbed.Monitor{Runs: testbed.EveryRun},
	New:      testbed.EachInformer(ownWrites),
})

// ownWrites judges the last update of a controller, which had sent so many before the step.
func ownWrites(_ *testbed.System, _ *sim.World, n *testbed.Informer, acts *int, all *testbed.Tally) {
	c := n.Controller()
	if c == nil {
		return
	}
	acted := c.Acts() > *acts
	*acts = c.Acts()
	last := c.Last()
	if !acted || last.Wrote == 0 {
		return
	}
	all.Exercised++
	if kv := last.Read; kv.ModRevision < last.Wrote {
		all.Violatef("older", testbed.Concern{Node: n.Name, Key: kv.Key, Revision: last.Wrote},
			"the controller of %s marks %s because of revision %d, and has written revision %d of it itself", n.Name, kv.Key, kv.ModRevision, last.Wrote)
	}
}
