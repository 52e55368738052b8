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
var Ordered = guarantee("ordered", 0, "events out of order",
	"Within a stream of a watch revisions never go back.")

// PrevKV is exercised by events of a watcher that asked for previous values.
var PrevKV = guarantee("prevKV", 0, "wrong previous value",
	"Each event carries the item before it, if that was asked for and is not compacted, and none otherwise.")

// Reliable is exercised by events after the first of their stream. If the stream
// starts "now", the first event is the next one after that.
var Reliable = guarantee("reliable", 2, "missing event",
	"From the first event of a stream to its last nothing is missing, nothing is made up, and nothing is other than it happened.")

// Resumable is exercised by streams from a revision that had something to tell.
var Resumable = guarantee("resumable", 0, "missing event after a resume",
	"A watch from a revision begins with the first event from there on, and streams that follow one another leave nothing out between them.")

// Unique is exercised by events after the first of their stream.
var Unique = guarantee("unique", 0, "duplicate event",
	"Within a stream of a watch no event comes twice.")

// guarantee is one of etcd's watch guarantees.
func guarantee(name string, weight int, violated, promise string) *testbed.Property {
	return testbed.RegisterProperty(&testbed.Property{
		Name: name, Promise: promise, Violated: violated, Labels: map[string]string{"watch": violated}, Weight: weight,
		Monitor: testbed.Monitor{Runs: testbed.EveryRun},
		New: func(s *testbed.System) testbed.Judge {
			return &guaranteeJudge{testbed.Shared(s, newStreams), model.WatchGuarantee(name)}
		},
	})
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

func (*streams) Reset() {}

func (t *streams) BeginJudging(*sim.World) {
	log := t.system.Truth().Log()
	t.judgements = t.judgements[:0]
	t.contract.rewind()
	t.contract.ofCaches(t.system, func(_ *testbed.Watch, streams []model.WatchStream) {
		t.judgements = t.checker.Check(t.judgements, streams, log)
	})
	for _, r := range t.system.Streams() {
		for _, watch := range r.Watches(t.rules) {
			t.judgements = t.checker.Check(t.judgements, []model.WatchStream{r.Stream(watch)}, log)
		}
	}
}

// guaranteeJudge judges one of them.
type guaranteeJudge struct {
	*streams
	of model.WatchGuarantee
}

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

func (j *guaranteeJudge) MonitorState() testbed.MonitorState { return j.streams }

// Digest is where each watch is that can still be sent something. What clients record that
// have no behaviour of their own (sim.Recorder) is in the state as a whole.
func (t *streams) Digest(d sim.Digest) sim.Digest {
	t.positions.rewind()
	judged := t.system.Truth().Revision()
	t.positions.ofCaches(t.system, func(w *testbed.Watch, streams []model.WatchStream) {
		if anyAhead(streams, judged) {
			d = w.Node.Fingerprint(d)
		}
		drawn := w.Part == testbed.DrawnWatcherNode
		if !drawn {
			d = d.Int(int64(w.Place)).Int(model.Covered(streams)).Int(int64(len(streams)))
			if n := len(streams); n > 0 && !w.Open {
				for _, e := range streams[n-1].LastRevision() {
					d = d.Text(e.Item.Key).Word(uint64(e.Type))
				}
			}
		}
		// Drawn watches are judged alone, and only the last can still be sent something.
		if n := len(streams); n > 0 && w.Last && (drawn || w.Open && !w.AwaitsEnd()) {
			d = position(d, &streams[n-1])
		}
	})
	for _, r := range t.system.Streams() {
		for _, watch := range r.Watches(t.rules) {
			streams := []model.WatchStream{r.Stream(watch)}
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

// ofCaches calls f with what clients of caches recorded: with all watches of a client, of which one goes on where
// another one has ended, and with each alone that is drawn. What it said before is overwritten.
func (c *contract) ofCaches(s *testbed.System, f func(last *testbed.Watch, streams []model.WatchStream)) {
	c.streams = c.streams[:0]
	for w := range s.Watches() {
		if r, judged := requestOf(w); judged {
			_, events := w.Changes()
			c.streams = append(c.streams, model.WatchStream{Listed: w.Listed, Parts: true, Request: *r, Responses: c.fromCache(events)})
		}
		if w.Last || w.Part == testbed.DrawnWatcherNode {
			f(w, c.streams)
			c.streams = c.streams[:0]
		}
	}
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

// requestOf is a watch of a cache behind the end of its initial events, if it had any; judged is false of
// one whose initial events no bookmark ends: nothing tells them from changes.
func requestOf(w *testbed.Watch) (r *model.WatchRequest, judged bool) {
	req := w.Request
	r = &model.WatchRequest{Key: req.Prefix, ProgressNotify: req.AllowBookmarks, Values: w.Values}
	if !req.Single {
		r.Key = strings.TrimSuffix(req.Prefix, "/") + "/"
		r.End = model.PrefixEnd(r.Key)
	}
	after, _ := w.Changes()
	switch {
	case w.AwaitsEnd():
		return r, false
	case after > 0:
		r.StartRevision = after + 1
	case req.SendInitialEvents == wire.SendInitialEventsUnset:
		return r, false
	}
	return r, true
}

// Atomic is exercised by revisions of several events.
var Atomic = guarantee("atomic", 0, "revision in parts",
	"The events of one revision come in one response.")

// Bookmarkable is exercised by bookmarks.
var Bookmarkable = guarantee("bookmarkable", 1, "bookmark too early",
	"A bookmark at a revision comes after all events up to that revision.")

// Filter is exercised by changes that were to be left out.
var Filter = guarantee("filter", 0, "event that was not asked for",
	"Every event of a watch is one that was asked for.")
