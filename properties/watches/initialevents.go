package watches

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/evidence"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// InitialEvents is what KEP-3157 promises of a watch with sendInitialEvents ("API
// changes"). It is exercised by watches that were sent the end of their initial
// events: those of raw clients, and those by which informers fill their stores.
var InitialEvents = testbed.RegisterProperty(&testbed.Property{
	Name: "initial-events", Kind: testbed.Safety,
	Promise: `At the bookmark that ends them, the initial events of a watch are what etcd had at the bookmark's resourceVersion, ` +
		`and that is not older than what was asked for; with resourceVersion "", than etcd was when it was asked.`,
	Violated: "wrong initial events",
	Labels:   map[string]string{"stale": "initial events too old", "ghost": "wrong initial events", "stale-item": "wrong initial events"},
	Weight:   2,
	Monitor:  testbed.Monitor{Runs: testbed.EveryRun},
	New:      testbed.AfterStepsBy(newInitialEvents, (*initialEvents).step, testbed.InformerNode, testbed.TheWorld),
})

type initialEvents struct {
	system *testbed.System
	// evidence has etcd's revision when a raw client asked.
	evidence *evidence.Recorder
	// views are of informers, and of the WatchLists by which they fill their stores.
	views []informerView
	// items is the buffer of collected.
	items []*wire.KeyValue
}

func newInitialEvents(s *testbed.System) *initialEvents {
	return &initialEvents{system: s, evidence: evidence.Of(s)}
}

// Copy has seen what the same judge of another system has.
func (j *initialEvents) Copy(seen *initialEvents) *initialEvents {
	return &initialEvents{system: j.system, evidence: j.evidence, views: slices.Clone(seen.views)}
}

func (j *initialEvents) Conclude(_ *sim.World, all *testbed.Tally) {
	for w := range j.system.Watches(testbed.ListWatcherNode, testbed.DrawnWatcherNode) {
		r, judged := requestOf(w)
		if w.End < 0 || !judged {
			continue
		}
		version := w.Events[w.End].ResourceVersion
		end := ended{w.Client, w.Request.ResourceVersion, j.evidence.OfWatch(w).Asked.Revision, version}
		end.judge(all, j.system.Truth().CompareSelected(w.Client, version, r, j.collected(w.Events[:w.End])))
	}
}

// Digest is, for each watch whose initial events have not ended, where etcd was when it was
// asked for, if that is how new they must be, and what a reflector would have kept of what has come.
func (j *initialEvents) Digest(d sim.Digest) sim.Digest {
	for w := range j.system.Watches(testbed.ListWatcherNode, testbed.DrawnWatcherNode) {
		// Before the first step of a run no watch has been noted.
		at := j.evidence.OfWatch(w)
		if !w.Open || !w.AwaitsEnd() || at == nil {
			continue
		}
		d = d.Int((&ended{requested: w.Request.ResourceVersion, asked: at.Asked.Revision}).oldest())
		j.collected(w.Events)(func(kv *wire.KeyValue) bool {
			d = d.Text(kv.Key).Text(kv.Value).Int(kv.CreateRevision).Int(kv.ModRevision).Int(kv.Version)
			return true
		})
		d = d.Bool(true)
	}
	for i, n := range j.system.Informers() {
		if awaitsStream(n.Exchanges()) {
			d = d.Int((&ended{requested: n.Record().Requested, asked: j.views[i].asked}).oldest())
		}
	}
	return d
}

// ended is a watch with the end of its initial events: the client, the
// resourceVersion that it asked for, where etcd was then, and the version at the
// end.
type ended struct {
	client                    string
	requested, asked, version int64
}

// judge takes note of the end, and of how the contents differ from etcd's.
func (e *ended) judge(into *testbed.Tally, different *testbed.Difference) {
	into.Exercised++
	if different != nil {
		into.Violate(different.Label(), different)
	}
	if oldest := e.oldest(); e.version < oldest {
		asked := "RV %d or later"
		if e.requested == wire.Unset {
			asked = "the newest state when etcd was at revision %d"
		}
		into.Violatef("stale", testbed.Concern{Node: e.client, Revision: oldest}, "%s asked for "+asked+"; its initial events end at RV %d", e.client, oldest, e.version)
	}
}

// oldest is the version that the end may have at least.
func (e *ended) oldest() int64 {
	if e.requested == wire.Unset {
		return e.asked
	}
	return e.requested
}

// collected is what a client has of its initial events: what a reflector would keep, event by
// event.
func (j *initialEvents) collected(events []*wire.WatchEvent) testbed.TruthContents {
	items := j.items[:0]
	for _, e := range events {
		if e.Item == nil {
			continue
		}
		at, found := slices.BinarySearchFunc(items, e.Item.Key, func(kv *wire.KeyValue, key string) int { return cmp.Compare(kv.Key, key) })
		switch {
		case found && e.Type == wire.Deleted:
			items = slices.Delete(items, at, at+1)
		case found:
			items[at] = e.Item
		case e.Type != wire.Deleted:
			items = slices.Insert(items, at, e.Item)
		}
	}
	j.items = items
	return testbed.TruthContents(slices.Values(items))
}

// informerView is what was known of an informer, and etcd's revision when it asked
// for its last WatchList.
type informerView struct {
	record informer.Record
	asked  int64
}

func (j *initialEvents) Reset() {
	j.views = nil
	for _, n := range j.system.Informers() {
		var v informerView
		if n.StreamsAtOnce() {
			v.record.Requests, v.asked = 1, j.system.Truth().Revision()
		}
		j.views = append(j.views, v)
	}
}

func (j *initialEvents) step(_ *sim.World, a sim.Action, all *testbed.Tally) {
	for _, n := range j.system.InformersAfter(a) {
		j.look(all, n, &j.views[n.ID-j.system.Informers()[0].ID])
	}
}

// look compares an informer with what it was before the step.
func (j *initialEvents) look(all *testbed.Tally, n *testbed.Informer, v *informerView) {
	before := v.record
	v.record = *n.Record()
	if version := n.ResourceVersion(); version != 0 && v.record.Streamed > before.Streamed {
		end := ended{n.Name, v.record.Requested, v.asked, version}
		end.judge(all, j.system.Compare(n, version, n.Ascend))
	}
	if v.record.Requests > before.Requests {
		v.asked = j.system.Truth().Revision()
	}
}

// awaitsStream reports whether the last request of an informer is a WatchList that has not come to the end
// of its initial events.
func awaitsStream(all []informer.Exchange) bool {
	if len(all) == 0 {
		return false
	}
	x := &all[len(all)-1]
	r, watch := x.Request.(*wire.WatchRequest)
	return watch && r.SendInitialEvents == wire.SendInitialEventsTrue && x.End == informer.Open && !x.Complete
}

// InitialEventsEnd is also violated by a watch that the cache refuses or ends: that
// one does not hang, but it is not sent the end either. It is exercised by watches
// of the liveness phase that were sent the end or are violations.
var InitialEventsEnd = testbed.RegisterProperty(&testbed.Property{
	Name: "initial-events-end", Kind: testbed.Liveness,
	Promise:  "In the liveness phase every watch with initial events is sent their end within a bound.",
	Violated: "initial events never end",
	Labels:   map[string]string{"no-end": "initial events never end", "late": "initial events end too late", "refused": "initial events refused"},
	Monitor:  testbed.Monitor{Runs: testbed.EveryRun, State: endsAwaited},
	New:      testbed.RecordedBy(func(s *testbed.System) *initialEventsEnd { return &initialEventsEnd{s, initialEventsBound(s)} }, (*initialEventsEnd).judge),
})

// bookmarkTimer is the cacher's, with its jitter.
const bookmarkTimer = 1250 * time.Millisecond

// initialEventsBound: the cache has to be as fresh as for a consistent LIST, and
// then sends its objects one by one. The client sends its request and is sent the
// first event: that is in the bound of a LIST.
func initialEventsBound(s *testbed.System) testbed.Bound {
	p := s.Params()
	if p.Workload.ListWatch.Within > 0 {
		return testbed.Bound{Total: p.Workload.ListWatch.Within, Derivation: "as the scenario has it"}
	}
	sent := time.Duration(p.Workload.Items + p.Workload.ObjectWrites() + 1)
	b := s.ReadBound().Plus(sent*(2*p.Clock.Scheduling+p.Clock.Network)+sent*p.Workload.ListWatch.Pace,
		fmt.Sprintf("%d events one after the other, with two turns of a loop and a message each", sent))
	if testbed.AnyServer(s.Caches(), func(s *testbed.Server) bool { return s.Cache.Watches.EndByTimer }) {
		b = b.Plus(bookmarkTimer, fmt.Sprintf("a bookmark timer of at most %v", bookmarkTimer))
	}
	return b
}

type initialEventsEnd struct {
	system *testbed.System
	bound  testbed.Bound
}

func (j *initialEventsEnd) judge(w *sim.World, all *testbed.Tally) {
	bound := j.bound
	for o := range j.system.Watches(testbed.ListWatcherNode) {
		if !o.IsList() || o.Phase != sim.Liveness {
			continue
		}
		late := func(label, what string, args ...any) {
			about := testbed.Concern{Node: o.Client}
			if label == "refused" && len(o.Events) <= 1 {
				// It is an attempt that began with its request. Other watches were sent something in between.
				about.Began = o.Began
			}
			all.Exercised++
			all.Violatef(label, about, "%s's %s at %v "+what+"; it should have been sent within %v (%s)",
				append(append([]any{o.Client, o.Request.Label(), o.Began.Sub(0)}, args...), bound.Total, bound.Derivation)...)
		}
		switch took := w.Now().Sub(o.Began); {
		case o.End >= 0 && o.Ended.Sub(o.Began) > bound.Total:
			late("late", "was sent the end of its initial events after %v", o.Ended.Sub(o.Began))
		case o.End >= 0:
			all.Exercised++
		case !o.Open:
			late("refused", "was ended before the end of its initial events")
		case took > bound.Total:
			late("no-end", "still waits for the end of its initial events after %v", took)
		}
	}
}

// endsAwaited is which clients wait for an end that is promised to them. How long
// they wait is not in it: without a clock no time passes.
func endsAwaited(s *testbed.System, d sim.Digest) sim.Digest {
	for w := range s.Watches(testbed.ListWatcherNode) {
		if w.Last {
			d = d.Int(int64(w.Place)).Bool(w.AwaitsEnd() && w.Phase == sim.Liveness)
		}
	}
	return d
}
