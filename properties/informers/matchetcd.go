// Package informers has the properties of what informers hold (client-go's
// reflectors), restarts of their processes and other API servers included.
package informers

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/truth"
)

// MatchEtcd compares an informer with ground truth whenever it has listed or its
// resourceVersion has changed, which is how often it is exercised.
var MatchEtcd = testbed.RegisterProperty(&testbed.Property{
	Name: "informer-matches-etcd", Kind: testbed.Safety,
	Promise:  "After every step an informer holds what etcd had at the informer's resourceVersion, and nothing before the first list of its process.",
	Violated: "informer differs from etcd",
	Labels:   truth.LabelsAs("informer differs from etcd", "unlisted"),
	Weight:   3,
	Past:     testbed.NoPast, TimedPast: testbed.NoPast,
	New: testbed.EachInformer(matchEtcd),
})

func matchEtcd(s *testbed.System, _ *sim.World, n *testbed.Informer, seen *view, all *testbed.Tally) {
	if !n.Synced() {
		n.Ascend(func(kv *wire.KeyValue) bool {
			all.Violate("unlisted", testbed.Wrong(explore.Concern{Node: n.Name, Key: kv.Key, Revision: kv.ModRevision},
				"%s has not listed yet, and holds %s of revision %d", n.Name, kv.Key, kv.ModRevision))
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
	Past:     testbed.PastOf(shownPast), TimedPast: testbed.PastOf(shownPast),
	New: testbed.EachInformer(monotonic),
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
		all.Violate("went-back", testbed.Wrong(explore.Concern{Node: n.Name, Revision: newest.Version},
			"%s had RV %d from %s, and now shows RV %d from %s",
			n.Name, newest.Version, w.NodeName(newest.Server), version, w.NodeName(n.Server())))
	}
}

// shownPast is the newest resourceVersion that each informer has shown.
func shownPast(s *testbed.System, d sim.Digest) sim.Digest {
	for _, n := range s.Informers() {
		d = d.Int(n.Newest())
	}
	return d
}

// view is what an informer showed after a step: its resourceVersion, and how often it has filled its
// store by a WatchList and by a LIST, or changed it behind its queue.
type view struct {
	version          int64
	streamed, listed int
	changes          int
}

// changed takes note of what an informer shows now, and reports whether it shows
// something at all that it has not shown after the last step.
func (v *view) changed(n *testbed.Informer) bool {
	before := *v
	*v = view{n.ResourceVersion(), n.Record().Streamed, n.Record().Listed, n.Changes()}
	return v.version != 0 && (v.version != before.version || v.streamed > before.streamed || v.listed > before.listed || v.changes > before.changes)
}
