package watches

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/properties/moments"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
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
	New:      func(s *testbed.System) testbed.Judge { return newInitialEvents(s) },
})

type initialEvents struct {
	system *testbed.System
	// moments have etcd's revision when a raw client asked.
	moments     *moments.Recorder
	ofInformers *informerStreams
	// items is the buffer of collected.
	items []*wire.KeyValue
}

func newInitialEvents(s *testbed.System) *initialEvents {
	return &initialEvents{system: s, moments: moments.Of(s), ofInformers: testbed.Shared(s, newInformerStreams)}
}

// Reset implements testbed.Judge.
func (*initialEvents) Reset() {}

// Finding implements testbed.Judge.
func (j *initialEvents) Finding(*sim.World) explore.Finding {
	all := j.ofInformers.tally
	for i, c := range j.system.ListWatchers() {
		asked := j.moments.ListWatches(i)
		for k := range c.Streams() {
			st := &c.Streams()[k]
			if st.End < 0 {
				continue
			}
			version := st.Events[st.End].ResourceVersion
			end := ended{c.Name(), st.Request.ResourceVersion, asked[k].Asked.Revision, version}
			end.judge(&all, j.system.Truth().Compare(c.Name(), version, c.Prefix(), j.collected(st.Events[:st.End])))
		}
	}
	for i, c := range j.system.DrawnWatchers() {
		asked := j.moments.DrawnWatches(i)
		for k := range c.Streams() {
			st := &c.Streams()[k]
			drawn, judged := drawnWatchOf(st)
			if st.End < 0 || !judged {
				continue
			}
			version := st.Events[st.End].ResourceVersion
			end := ended{c.Name(), st.Request.ResourceVersion, asked[k].Asked.Revision, version}
			end.judge(&all, j.system.Truth().CompareSelected(c.Name(), version, &drawn.request, j.collected(st.Events[:st.End])))
		}
	}
	return all.Finding()
}

// MonitorState implements testbed.Monitored.
func (j *initialEvents) MonitorState() testbed.MonitorState { return j }

// Digest is, for each watch whose initial events have not ended, where etcd was when it was
// asked for, if that is how new they must be, and what a reflector would have kept of what has come.
func (j *initialEvents) Digest(d sim.Digest) sim.Digest {
	for i, c := range j.system.ListWatchers() {
		if k := len(c.Streams()) - 1; k >= 0 && !c.Streams()[k].Closed {
			d = j.awaited(d, &c.Streams()[k], j.moments.ListWatches(i), k)
		}
	}
	for i, c := range j.system.DrawnWatchers() {
		if k := len(c.Streams()) - 1; k >= 0 && c.Watching() {
			d = j.awaited(d, &c.Streams()[k], j.moments.DrawnWatches(i), k)
		}
	}
	return j.ofInformers.digest(d)
}

// awaited mixes in what the end of the initial events of a watch is held against. Before the first step
// of a run no watch has been noted.
func (j *initialEvents) awaited(d sim.Digest, st *workload.ListStream, noted []moments.Call, k int) sim.Digest {
	if !awaitsEnd(st) || k >= len(noted) {
		return d
	}
	d = d.Int((&ended{requested: st.Request.ResourceVersion, asked: noted[k].Asked.Revision}).oldest())
	j.collected(st.Events)(func(kv *wire.KeyValue) bool {
		d = d.Text(kv.Key).Text(kv.Value).Int(kv.CreateRevision).Int(kv.ModRevision).Int(kv.Version)
		return true
	})
	return d.Bool(true)
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
	if e.version < e.oldest() {
		into.Violate("stale", staleEnd(e.client, e.requested == wire.Unset, e.version, e.oldest()))
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
	return func(f func(*wire.KeyValue) bool) {
		for _, kv := range items {
			if !f(kv) {
				return
			}
		}
	}
}

// staleEnd are initial events that end too early.
func staleEnd(client string, newest bool, version, oldest int64) fmt.Stringer {
	about := explore.Concern{Node: client, Revision: oldest}
	if newest {
		return testbed.Wrong(about,
			"%s asked for the newest state when etcd was at revision %d; its initial events end at RV %d", client, oldest, version)
	}
	return testbed.Wrong(about, "%s asked for RV %d or later; its initial events end at RV %d", client, oldest, version)
}

// informerStreams looks at the WatchLists by which informers fill their stores.
type informerStreams struct {
	system *testbed.System
	streamsSeen
}

// streamsSeen is what was known of each informer after the last step, and what was wrong.
type streamsSeen struct {
	views []informerView
	tally testbed.Tally
}

// informerView is what was known of an informer, and etcd's revision when it asked
// for its last WatchList.
type informerView struct {
	record informer.Record
	asked  int64
}

var _ testbed.Remembering = (*informerStreams)(nil)

func newInformerStreams(s *testbed.System) *informerStreams { return &informerStreams{system: s} }

// Reset implements testbed.Observer.
func (j *informerStreams) Reset() {
	j.views, j.tally = nil, testbed.Tally{}
	for _, n := range j.system.Informers() {
		var v informerView
		if n.StreamsAtOnce() {
			v.record.Requests, v.asked = 1, j.system.Truth().Revision()
		}
		j.views = append(j.views, v)
	}
}

// Follows implements testbed.Follower.
func (*informerStreams) Follows(p testbed.Part) bool {
	return p == testbed.InformerNode || p == testbed.TheWorld
}

// AfterStep implements testbed.StepObserver.
func (j *informerStreams) AfterStep(_ *sim.World, a sim.Action) {
	for _, n := range j.system.InformersAfter(a) {
		j.look(n, &j.views[n.ID-j.system.Informers()[0].ID])
	}
}

// look compares an informer with what it was before the step.
func (j *informerStreams) look(n *testbed.Informer, v *informerView) {
	before := v.record
	v.record = *n.Record()
	if version := n.ResourceVersion(); version != 0 && v.record.Streamed > before.Streamed {
		end := ended{n.Name, v.record.Requested, v.asked, version}
		end.judge(&j.tally, j.system.Compare(n, version, n.Ascend))
	}
	if v.record.Requests > before.Requests {
		v.asked = j.system.Truth().Revision()
	}
}

// Memory implements testbed.Remembering.
func (j *informerStreams) Memory() any { return j.streamsSeen }

// Recall implements testbed.Remembering.
func (j *informerStreams) Recall(memory any) {
	j.streamsSeen = memory.(streamsSeen)
	j.views = slices.Clone(j.views)
}

// digest mixes in how new the WatchLists must be that are under way.
func (j *informerStreams) digest(d sim.Digest) sim.Digest {
	for i, n := range j.system.Informers() {
		if awaitsStream(n.Exchanges()) {
			d = d.Int((&ended{requested: n.Record().Requested, asked: j.views[i].asked}).oldest())
		}
	}
	return d
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
	Monitor:  testbed.Monitor{Runs: testbed.EveryRun, State: initialEventsEndPast},
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
	if slices.ContainsFunc(s.Caches(), endsByTimer) {
		b = b.Plus(bookmarkTimer, fmt.Sprintf("a bookmark timer of at most %v", bookmarkTimer))
	}
	return b
}

func endsByTimer(c *testbed.Cache) bool {
	return slices.ContainsFunc(c.Servers(), func(s *testbed.Server) bool { return s.Cache.Watches.EndByTimer })
}

type initialEventsEnd struct {
	system *testbed.System
	bound  testbed.Bound
}

func (j *initialEventsEnd) judge(w *sim.World, all *testbed.Tally) {
	for _, c := range j.system.ListWatchers() {
		for i := range c.Streams() {
			st := &c.Streams()[i]
			if !st.IsList() || st.Phase != sim.Liveness {
				continue
			}
			late := func(label, what string, args ...any) {
				about := explore.Concern{Node: c.Name()}
				if label == "refused" && len(st.Events) <= 1 {
					// It is an attempt that began with its request. Other watches were sent something in between.
					about.Began = st.Began
				}
				all.Violate(label, testbed.Wrong(about, "%s's %s at %v "+what+"; it should have been sent within %v (%s)",
					append(append([]any{c.Name(), st.Request.Label(), st.Began.Sub(0)}, args...), j.bound.Total, j.bound.Derivation)...))
			}
			switch {
			case st.End >= 0:
				all.Exercised++
				if took := st.Ended.Sub(st.Began); took > j.bound.Total {
					late("late", "was sent the end of its initial events after %v", took)
				}
			case st.Closed:
				all.Exercised++
				late("refused", "was ended before the end of its initial events")
			default:
				if took := w.Now().Sub(st.Began); took > j.bound.Total {
					all.Exercised++
					late("no-end", "still waits for the end of its initial events after %v", took)
				}
			}
		}
	}
}

// initialEventsEndPast is which clients wait for an end that is promised to them. How long
// they wait is not in it: without a clock no time passes.
func initialEventsEndPast(s *testbed.System, d sim.Digest) sim.Digest {
	for _, c := range s.ListWatchers() {
		all := c.Streams()
		d = d.Bool(len(all) > 0 && awaitsEnd(&all[len(all)-1]) && all[len(all)-1].Phase == sim.Liveness)
	}
	return d
}
