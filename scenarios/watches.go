package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// isGuarantee reports whether a property is one of a watch: ordered, unique,
// atomic, reliable, resumable, bookmarkable, prevKV, filter.
func isGuarantee(name string) bool {
	return slices.Contains(model.WatchGuarantees(), model.WatchGuarantee(name))
}

// watches judges every stream of the run: those of caches and those that speak
// to etcd directly.
func (s *System) watches(log *model.Log) []model.WatchJudgement {
	var all []model.WatchJudgement
	for _, r := range s.watchers {
		all = append(all, model.CheckWatch(cacheStreams(r), log)...)
	}
	for _, c := range s.listWatchers.nodes {
		all = append(all, model.CheckWatch(s.listWatchers.streams(c), log)...)
	}
	for _, r := range s.raw {
		for i, c := range r.Watches() {
			all = append(all, model.CheckWatch([]model.WatchStream{etcdStream(r, c, i)}, log)...)
		}
	}
	return all
}

func guarantee(name string, all []model.WatchJudgement) explore.Finding {
	f := explore.Finding{Property: name}
	for i := range all {
		j := &all[i]
		if string(j.Guarantee) != name {
			continue
		}
		f.Exercised += j.Exercised
		if j.Verdict == model.Violated && f.Verdict != model.Violated {
			f.Label, f.Why = "watch", j.Why
		}
		f.Verdict = f.Verdict.And(j.Verdict)
	}
	return f
}

// cacheStreams says what a watcher of a cache recorded in the words of the
// contract.
func cacheStreams(r *workload.Watcher) []model.WatchStream {
	prefix := r.Prefix()
	var streams []model.WatchStream
	for _, st := range r.Streams() {
		m := model.WatchStream{Listed: st.Listed, Request: model.WatchRequest{Key: prefix, End: model.PrefixEnd(prefix), StartRevision: st.From + 1, ProgressNotify: true}}
		for _, e := range st.Events {
			m.Responses = append(m.Responses, cacheResponse(e))
		}
		streams = append(streams, m)
	}
	return streams
}

func cacheResponse(e *wire.WatchEvent) model.WatchResponse {
	out := model.WatchResponse{Revision: e.ResourceVersion}
	switch e.Type {
	case wire.Bookmark:
		out.Progress = true
	case wire.Failed:
		out.Canceled = true
	default:
		it := workload.Item(e.Item)
		ev := model.WatchEvent{Item: &it, Revision: e.ResourceVersion}
		if e.Type == wire.Deleted {
			ev.Type = model.DeleteEvent
		}
		out.Events = []model.WatchEvent{ev}
	}
	return out
}

// etcdStream is the part of a raw stream that belongs to its i-th watch. Watch
// ids are given in the order of creation; id -1 speaks for all of them.
func etcdStream(r *workload.EtcdWatch, c *wire.WatchCreateRequest, i int) model.WatchStream {
	m := model.WatchStream{Request: model.WatchRequest{
		Key: c.Key, End: c.RangeEnd, StartRevision: c.StartRevision, PrevKV: c.PrevKv,
		NoPut: c.Filters&wire.NoPut != 0, NoDelete: c.Filters&wire.NoDelete != 0, ProgressNotify: c.ProgressNotify,
	}}
	created := false
	for _, resp := range r.ResponsesTo(int64(i)) {
		id := resp.WatchID
		if id != int64(i) && (id != wire.InvalidWatchID || !created || resp.Created) {
			// Another watch's, from before this one, or the refusal of a request.
			continue
		}
		created = created || resp.Created
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
