// Package watches (unstable) has the properties of what clients are sent that
// watch: a cache, or etcd itself.
package watches

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/arena"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

// Ordered is exercised by events after the first of their stream.
var Ordered = guarantee(testbed.Property{
	Name:     "ordered",
	Promise:  "Within a stream of a watch revisions never go back.",
	Violated: "events out of order",
	Labels:   map[string]string{"watch": "events out of order"},
})

// PrevKV is exercised by events of a watcher that asked for previous values.
var PrevKV = guarantee(testbed.Property{
	Name:     "prevKV",
	Promise:  "Each event carries the item before it, if that was asked for and is not compacted, and none otherwise.",
	Violated: "wrong previous value",
	Labels:   map[string]string{"watch": "wrong previous value"},
})

// Reliable is exercised by events after the first of their stream. If the stream
// starts "now", the first event is the next one after that.
var Reliable = guarantee(testbed.Property{
	Name:     "reliable",
	Promise:  "From the first event of a stream to its last nothing is missing, nothing is made up, and nothing is other than it happened.",
	Violated: "missing event",
	Labels:   map[string]string{"watch": "missing event"},
	Weight:   2,
})

// Resumable is exercised by streams from a revision that had something to tell.
var Resumable = guarantee(testbed.Property{
	Name:     "resumable",
	Promise:  "A watch from a revision begins with the first event from there on, and streams that follow one another leave nothing out between them.",
	Violated: "missing event after a resume",
	Labels:   map[string]string{"watch": "missing event after a resume"},
})

// Unique is exercised by events after the first of their stream.
var Unique = guarantee(testbed.Property{
	Name:     "unique",
	Promise:  "Within a stream of a watch no event comes twice.",
	Violated: "duplicate event",
	Labels:   map[string]string{"watch": "duplicate event"},
})

// guarantee is one of etcd's watch guarantees.
func guarantee(p testbed.Property) *testbed.Property {
	p.Monitor, p.New = testbed.Monitor{Runs: testbed.EveryRun}, ofWatches(model.WatchGuarantee(p.Name))
	return testbed.RegisterProperty(&p)
}

// ofWatches makes the judge of one of etcd's watch guarantees.
func ofWatches(g model.WatchGuarantee) func(*testbed.System) testbed.Judge {
	return func(s *testbed.System) testbed.Judge {
		return &guaranteeJudge{testbed.Shared(s, newStreams), g}
	}
}

// streams judges every stream of a run for all guarantees together: those of
// caches and those of clients that speak to etcd directly.
type streams struct {
	system     *testbed.System
	rules      workload.WatchRules
	contract   contract
	checker    model.WatchChecker
	judgements []model.WatchJudgement
	// positions is for the monitor: judgements keep what contract says.
	positions contract
}

func newStreams(s *testbed.System) *streams {
	return &streams{system: s, rules: s.WatchRules()}
}

// Reset implements testbed.Observer.
func (*streams) Reset() {}

// BeginJudging implements testbed.Preparer.
func (t *streams) BeginJudging(*sim.World) {
	log := t.system.Truth().Log()
	t.judgements = t.judgements[:0]
	t.contract.rewind()
	judge := func(streams []model.WatchStream) {
		t.judgements = t.checker.Check(t.judgements, streams, log)
	}
	for _, r := range t.system.Watchers() {
		judge(t.contract.ofWatcher(r))
	}
	for _, c := range t.system.ListWatchers() {
		judge(t.contract.ofListWatcher(c))
	}
	for _, c := range t.system.DrawnWatchers() {
		for i := range c.Streams() {
			judge(t.contract.ofDrawnWatch(&c.Streams()[i]))
		}
	}
	for _, r := range t.system.Streams() {
		for _, watch := range r.Watches(t.rules) {
			judge(t.contract.ofEtcdWatch(r, watch))
		}
	}
}

// guaranteeJudge judges one of them.
type guaranteeJudge struct {
	*streams
	of model.WatchGuarantee
}

// Finding implements testbed.Judge.
func (j *guaranteeJudge) Finding(*sim.World) explore.Finding {
	var f explore.Finding
	for i := range j.judgements {
		judged := &j.judgements[i]
		if judged.Guarantee != j.of {
			continue
		}
		f.Exercised += judged.Exercised
		if judged.Verdict == model.Violated && f.Verdict != model.Violated {
			f.Label, f.Why = "watch", judged.Why
		}
		f.Verdict = f.Verdict.And(judged.Verdict)
	}
	return f
}

// MonitorState implements testbed.Monitored.
func (j *guaranteeJudge) MonitorState() testbed.MonitorState { return j.streams }

// Digest is where each watch is that can still be sent something. What clients record that
// have no behaviour of their own (sim.Recorder) is in the state as a whole.
func (t *streams) Digest(d sim.Digest) sim.Digest {
	t.positions.rewind()
	judged := t.system.Truth().Revision()
	for _, w := range t.system.Watchers() {
		streams := t.positions.ofWatcher(w)
		if anyAhead(streams, judged) {
			d = w.Fingerprint(d)
		}
		d = d.Int(model.Covered(streams)).Int(int64(len(streams)))
		if w.Watching() {
			d = position(d, &streams[len(streams)-1])
		}
	}
	for _, c := range t.system.ListWatchers() {
		streams := t.positions.ofListWatcher(c)
		if anyAhead(streams, judged) {
			d = c.Fingerprint(d)
		}
		d = d.Int(model.Covered(streams)).Int(int64(len(streams)))
		if all := c.Streams(); len(streams) > 0 && !all[len(all)-1].Closed && !awaitsEnd(&all[len(all)-1]) {
			d = position(d, &streams[len(streams)-1])
		}
	}
	for _, c := range t.system.DrawnWatchers() {
		for i := range c.Streams() {
			// Each is judged alone, and only the last can still be sent something.
			st := &c.Streams()[i]
			streams := t.positions.ofDrawnWatch(st)
			if anyAhead(streams, judged) {
				d = c.Fingerprint(d)
			}
			if len(streams) > 0 && i == len(c.Streams())-1 {
				d = position(d, &streams[0])
			}
		}
	}
	for _, r := range t.system.Streams() {
		for _, watch := range r.Watches(t.rules) {
			streams := t.positions.ofEtcdWatch(r, watch)
			if anyAhead(streams, judged) {
				d = r.Fingerprint(d)
			}
			if !r.Ended() && !r.HasLeft(watch) {
				d = position(d.Int(created(r, watch.ID)), &streams[0])
			}
		}
	}
	return d
}

// anyAhead reports whether the verdict on what came waits for revisions that are still to
// be written: of that nothing is left out.
func anyAhead(streams []model.WatchStream, judged int64) bool {
	for i := range streams {
		s := &streams[i]
		if s.Request.StartRevision > judged+1 && i > 0 ||
			slices.ContainsFunc(s.Responses, func(r model.WatchResponse) bool { return r.Revision > judged }) {
			return true
		}
	}
	return false
}

// position mixes in where a stream is. Which changes came is summed up: their order does
// not matter (model.WatchPosition).
func position(d sim.Digest, s *model.WatchStream) sim.Digest {
	p := s.Position()
	d = d.Int(p.Start).Int(p.Whole).Int(p.Marked)
	var came sim.Digest
	for i := range s.Responses {
		for k := range s.Responses[i].Events {
			e := &s.Responses[i].Events[k]
			came = came.And(sim.NewDigest.Word(uint64(e.Type)).Int(e.Revision).Text(e.Item.Key))
		}
	}
	return d.Fold(came)
}

// created is how often a stream said that a watch with an id is created: which of the
// watches with that id later responses belong to follows from it.
func created(r *workload.EtcdWatch, id int64) (n int64) {
	for i := range r.Responses() {
		if x := &r.Responses()[i]; x.Created && x.WatchID == id {
			n++
		}
	}
	return n
}

// awaitsEnd reports whether the initial events of a stream have not ended yet.
func awaitsEnd(st *workload.ListStream) bool { return st.IsList() && st.End < 0 }

// contract says what clients recorded in the words of etcd's contract, which are those
// of package model. That is part of each run of each watcher: what it says is valid until
// the next rewind, which hands its memory out again.
type contract struct {
	streams   []model.WatchStream
	responses arena.Arena[model.WatchResponse]
	items     arena.Arena[model.Item]
	events    arena.Arena[model.WatchEvent]
}

func (c *contract) rewind() {
	c.responses.Rewind()
	c.items.Rewind()
	c.events.Rewind()
}

// ofWatcher says what a watcher of a cache recorded. What it said of the client before
// is overwritten, as by each of these methods.
func (c *contract) ofWatcher(r *workload.Watcher) []model.WatchStream {
	prefix := r.Prefix()
	end := model.PrefixEnd(prefix)
	c.streams = c.streams[:0]
	for _, st := range r.Streams() {
		c.streams = append(c.streams, model.WatchStream{
			Listed:    st.Listed,
			Request:   model.WatchRequest{Key: prefix, End: end, StartRevision: st.From + 1, ProgressNotify: true, Values: r.Values()},
			Responses: c.fromCache(st.Events),
		})
	}
	return c.streams
}

// ofListWatcher says what a client recorded after the end of its initial events.
func (c *contract) ofListWatcher(r *workload.ListWatcher) []model.WatchStream {
	prefix := r.Prefix()
	end := model.PrefixEnd(prefix)
	c.streams = c.streams[:0]
	for i := range r.Streams() {
		st := &r.Streams()[i]
		after, events := st.Request.ResourceVersion, st.Events
		if st.IsList() {
			if st.End < 0 {
				continue
			}
			after, events = events[st.End].ResourceVersion, events[st.End+1:]
		}
		c.streams = append(c.streams, model.WatchStream{
			Listed:    st.IsList(),
			Request:   model.WatchRequest{Key: prefix, End: end, StartRevision: after + 1, ProgressNotify: true},
			Responses: c.fromCache(events),
		})
	}
	return c.streams
}

// ofDrawnWatch says what came on one watch of a cache, with any options; nothing of one
// that is not judged.
func (c *contract) ofDrawnWatch(st *workload.ListStream) []model.WatchStream {
	c.streams = c.streams[:0]
	if drawn, judged := drawnWatchOf(st); judged {
		c.streams = append(c.streams, model.WatchStream{Listed: drawn.listed, Request: drawn.request, Responses: c.fromCache(drawn.events)})
	}
	return c.streams
}

// ofEtcdWatch is the part of a raw stream that belongs to one of its watches.
func (c *contract) ofEtcdWatch(r *workload.EtcdWatch, watch workload.Watch) []model.WatchStream {
	c.streams = append(c.streams[:0], etcdStream(r, watch))
	return c.streams
}

// fromCache says what a cache sent.
func (c *contract) fromCache(sent []*wire.WatchEvent) []model.WatchResponse {
	responses := c.responses.Take(len(sent))
	for i, e := range sent {
		out := &responses[i]
		out.Revision = e.ResourceVersion
		switch e.Type {
		case wire.Bookmark:
			out.Progress = true
		case wire.Failed:
			out.Canceled = true
		default:
			item := c.items.New()
			*item = workload.Item(e.Item)
			out.Events = c.events.Take(1)
			out.Events[0] = model.WatchEvent{Item: item, Revision: e.ResourceVersion}
			if e.Type == wire.Deleted {
				out.Events[0].Type = model.DeleteEvent
			}
		}
	}
	return responses
}

// drawnWatch is one watch of a cache, with any options, after the end of its initial
// events, if it had any.
type drawnWatch struct {
	request model.WatchRequest
	listed  bool
	events  []*wire.WatchEvent
}

// drawnWatchOf reports whether the watch is judged. Initial events whose end no bookmark
// says are not: nothing tells them from changes.
func drawnWatchOf(st *workload.ListStream) (d drawnWatch, judged bool) {
	req := st.Request
	d.request = model.WatchRequest{Key: req.Prefix, ProgressNotify: req.AllowBookmarks, Values: workload.Values(req.Selector)}
	if !req.Single {
		d.request.Key = strings.TrimSuffix(req.Prefix, "/") + "/"
		d.request.End = model.PrefixEnd(d.request.Key)
	}
	d.events = st.Events
	switch {
	case req.SendInitialEvents == wire.SendInitialEventsTrue:
		if st.End < 0 {
			return d, false
		}
		d.listed, d.request.StartRevision = true, d.events[st.End].ResourceVersion+1
		d.events = d.events[st.End+1:]
	case req.ResourceVersion > 0:
		d.request.StartRevision = req.ResourceVersion + 1
	case req.SendInitialEvents == wire.SendInitialEventsUnset:
		return d, false
	}
	return d, true
}

// etcdStream is the part of a raw stream that belongs to one of its watches.
func etcdStream(r *workload.EtcdWatch, c workload.Watch) model.WatchStream {
	m := model.WatchStream{Request: model.WatchRequest{
		Key: c.Key, End: c.RangeEnd, StartRevision: c.StartRevision, PrevKV: c.PrevKv,
		NoPut: c.Filters&wire.NoPut != 0, NoDelete: c.Filters&wire.NoDelete != 0, ProgressNotify: c.ProgressNotify,
	}}
	for _, resp := range r.ResponsesTo(c) {
		out := model.WatchResponse{
			Revision: resp.Revision, Created: resp.Created, Fragment: resp.Fragment,
			Progress: resp.IsProgressNotify(), Canceled: resp.Canceled, CompactRevision: resp.CompactRevision,
		}
		for _, e := range resp.Events {
			it := workload.Item(e.Kv)
			ev := model.WatchEvent{Item: &it, Revision: e.Kv.ModRevision}
			if e.Type == wire.Delete {
				ev.Type = model.DeleteEvent
			}
			if e.PrevKv != nil {
				prev := workload.Item(e.PrevKv)
				ev.PrevItem = &prev
			}
			out.Events = append(out.Events, ev)
		}
		m.Responses = append(m.Responses, out)
	}
	return m
}

// Atomic is exercised by revisions of several events.
var Atomic = guarantee(testbed.Property{
	Name:     "atomic",
	Promise:  "The events of one revision come in one response.",
	Violated: "revision in parts",
})

// Bookmarkable is exercised by bookmarks.
var Bookmarkable = guarantee(testbed.Property{
	Name:     "bookmarkable",
	Promise:  "A bookmark at a revision comes after all events up to that revision.",
	Violated: "bookmark too early",
	Labels:   map[string]string{"watch": "bookmark too early"},
	Weight:   1,
})

// Filter is exercised by changes that were to be left out.
var Filter = guarantee(testbed.Property{
	Name:     "filter",
	Promise:  "Every event of a watch is one that was asked for.",
	Violated: "event that was not asked for",
})
