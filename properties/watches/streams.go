// Package watches has the properties of what clients are sent that watch: a cache,
// or etcd itself.
package watches

import (
	"strings"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

// ofWatches makes the judge of one of etcd's watch guarantees.
func ofWatches(g model.WatchGuarantee) func(*testbed.System) testbed.Judge {
	return func(s *testbed.System) testbed.Judge {
		return &guarantee{testbed.Shared(s, newStreams), g}
	}
}

// streams judges every stream of a run for all guarantees together: those of
// caches and those of clients that speak to etcd directly.
type streams struct {
	system *testbed.System
	// refusesNegative: this etcd refuses start revisions below 0.
	refusesNegative bool
	judgements      []model.WatchJudgement
}

func newStreams(s *testbed.System) *streams {
	return &streams{system: s, refusesNegative: s.Nodes().Etcd.Watch.NegativeStart == v3rpc.Refused}
}

// Reset implements testbed.Observer.
func (*streams) Reset() {}

// BeginJudging implements testbed.Preparer.
func (t *streams) BeginJudging(*sim.World) {
	log := t.system.Truth().Log()
	waits := t.system.Etcd().Waits()
	all := t.judgements[:0]
	judge := func(streams ...model.WatchStream) {
		for i := range streams {
			if waits {
				streams[i].Responses = upTo(streams[i].Responses, log.Revision())
			}
		}
		all = append(all, model.CheckWatch(streams, log)...)
	}
	for _, r := range t.system.Watchers() {
		judge(cacheStreams(r)...)
	}
	for _, c := range t.system.ListWatchers() {
		judge(listWatchStreams(c)...)
	}
	for _, c := range t.system.DrawnWatchers() {
		for i := range c.Streams() {
			if stream, judged := drawnStream(&c.Streams()[i]); judged {
				judge(stream)
			}
		}
	}
	for _, r := range t.system.Streams() {
		for _, watch := range r.Watches(t.refusesNegative) {
			judge(etcdStream(r, watch))
		}
	}
	t.judgements = all
}

// upTo are the responses before the first that is newer than a revision: the member that
// serves the watches, of caches or of clients, may be ahead of the log, which has what the
// leader has applied.
func upTo(responses []model.WatchResponse, revision int64) []model.WatchResponse {
	for i := range responses {
		if responses[i].Revision > revision {
			return responses[:i]
		}
	}
	return responses
}

// guarantee judges one of them.
type guarantee struct {
	*streams
	of model.WatchGuarantee
}

// Finding implements testbed.Judge.
func (j *guarantee) Finding(*sim.World) explore.Finding {
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

// cacheStreams says what a watcher of a cache recorded in the words of the
// contract.
func cacheStreams(r *workload.Watcher) []model.WatchStream {
	prefix := r.Prefix()
	var streams []model.WatchStream
	for _, st := range r.Streams() {
		m := model.WatchStream{Listed: st.Listed, Request: model.WatchRequest{Key: prefix, End: model.PrefixEnd(prefix), StartRevision: st.From + 1, ProgressNotify: true, Values: r.Values()}}
		m.Responses = cacheResponses(st.Events)
		streams = append(streams, m)
	}
	return streams
}

// cacheResponses says what a cache sent in the words of the contract. It is part of each
// run of each watcher: the items and events of a stream are one piece of memory each.
func cacheResponses(sent []*wire.WatchEvent) []model.WatchResponse {
	if len(sent) == 0 {
		return nil
	}
	responses := make([]model.WatchResponse, len(sent))
	items := make([]model.Item, len(sent))
	events := make([]model.WatchEvent, len(sent))
	for i, e := range sent {
		out := &responses[i]
		out.Revision = e.ResourceVersion
		switch e.Type {
		case wire.Bookmark:
			out.Progress = true
		case wire.Failed:
			out.Canceled = true
		default:
			items[i] = workload.Item(e.Item)
			events[i] = model.WatchEvent{Item: &items[i], Revision: e.ResourceVersion}
			if e.Type == wire.Deleted {
				events[i].Type = model.DeleteEvent
			}
			out.Events = events[i : i+1 : i+1]
		}
	}
	return responses
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

// listWatchStreams says what a client recorded after the end of its initial events
// in the words of the contract.
func listWatchStreams(c *workload.ListWatcher) []model.WatchStream {
	var all []model.WatchStream
	for i := range c.Streams() {
		st := &c.Streams()[i]
		after, events := st.Request.ResourceVersion, st.Events
		if st.IsList() {
			if st.End < 0 {
				continue
			}
			after, events = events[st.End].ResourceVersion, events[st.End+1:]
		}
		m := model.WatchStream{Listed: st.IsList(), Request: model.WatchRequest{
			Key: c.Prefix(), End: model.PrefixEnd(c.Prefix()), StartRevision: after + 1, ProgressNotify: true}}
		m.Responses = cacheResponses(events)
		all = append(all, m)
	}
	return all
}

// drawnStream says what came on one watch of a cache, with any options, in the words of
// the contract: after the end of its initial events, if it had any. Initial events
// whose end no bookmark says are not judged: nothing tells them from changes.
func drawnStream(st *workload.ListStream) (m model.WatchStream, judged bool) {
	req := st.Request
	prefix := strings.TrimSuffix(req.Prefix, "/") + "/"
	m.Request = model.WatchRequest{Key: prefix, End: model.PrefixEnd(prefix), ProgressNotify: req.AllowBookmarks, Values: workload.Values(req.Selector)}
	events, given := st.Events, req.ResourceVersion > 0
	switch {
	case req.SendInitialEvents == wire.SendInitialEventsTrue:
		if st.End < 0 {
			return m, false
		}
		m.Listed, m.Request.StartRevision = true, events[st.End].ResourceVersion+1
		events = events[st.End+1:]
	case given:
		m.Request.StartRevision = req.ResourceVersion + 1
	case req.SendInitialEvents == wire.SendInitialEventsUnset:
		return m, false
	}
	m.Responses = cacheResponses(events)
	return m, true
}
