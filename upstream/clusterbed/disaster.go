package clusterbed

import (
	"math"
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/workload"

	"github.com/watchbed/watchbed/upstream/clusternode"
)

// lose takes out of a history what may be lost with disks: what was asked before that, and is behind the revision that
// is still there. A write of that kind may have been carried out, since what is left may have had it. opened are the
// ticks at which the streams of each watcher were opened.
func lose(h *model.History, opened [][]int64, by clusternode.Loss) [][]int64 {
	h.Operations = slices.DeleteFunc(h.Operations, func(op model.Operation) bool {
		return isLost(&op, by) && !op.Request.IsWrite()
	})
	for i := range h.Operations {
		if op := &h.Operations[i]; isLost(op, by) {
			op.Outcome, op.Return, op.Result = model.Unknown, math.MaxInt64, nil
		}
	}
	for i := range h.Watchers {
		w := &h.Watchers[i]
		isBehind := func(r model.WatchResponse) bool { return r.Revision > by.Told }
		first := slices.IndexFunc(w.Streams, func(t model.WatchStream) bool { return slices.ContainsFunc(t.Responses, isBehind) })
		if first < 0 || opened[i][first] > by.Tick {
			continue
		}
		// What is told behind that does not go on from what was lost.
		after, _ := slices.BinarySearch(opened[i], by.Tick)
		h.Watchers, opened = append(h.Watchers, model.Watcher{Client: w.Client, Streams: w.Streams[after:]}), append(opened, opened[i][after:])
		w, opened[i] = &h.Watchers[i], opened[i][:first+1]
		w.Streams = slices.Clone(w.Streams[:first+1])
		last := &w.Streams[first]
		last.Responses = last.Responses[:slices.IndexFunc(last.Responses, isBehind)]
	}
	return opened
}

func isLost(op *model.Operation, by clusternode.Loss) bool {
	return op.Call < by.Tick && op.Outcome == model.Done && op.Result.Revision > by.Told
}

// afterRestore takes out of a history what was asked since a copy was restored, which begins with what is in the
// copy, nil if none was.
func (s *subject) afterRestore(h *model.History, opened [][]int64) *model.History {
	var after *model.History
	at := s.members[0].RestoredAt
	for _, m := range s.members {
		if m.Restored == nil || after != nil {
			continue
		}
		after = &model.History{Clients: h.Clients, Initial: model.Initial{Revision: m.Restored.Revision, Compacted: m.Restored.Revision}}
		for _, kv := range m.Restored.Kvs {
			item := workload.Item(kv)
			after.Initial.Items = append(after.Initial.Items, &item)
		}
	}
	if after == nil {
		return nil
	}
	first, _ := slices.BinarySearchFunc(h.Operations, at, func(op model.Operation, at int64) int { return int(op.Call - at) })
	h.Operations, after.Operations = h.Operations[:first:first], h.Operations[first:]
	for i := range h.Watchers {
		w := &h.Watchers[i]
		first, _ := slices.BinarySearch(opened[i], at)
		after.Watchers = append(after.Watchers, model.Watcher{Client: w.Client, Streams: w.Streams[first:]})
		w.Streams = w.Streams[:first]
	}
	return after
}

// restored judges what follows on what was before a copy was restored with revisions that are so much higher: no
// client is told a revision that is as old as one before, no watch goes on with what may have been lost, and nothing
// is in the copy that watchers know to have been other at its revision.
func restored(before, after *model.History, bump int64) explore.Finding {
	c := claims("restored")
	if after == nil {
		return c.Finding
	}
	from, copied := after.Initial.Revision, after.Initial.Revision-bump
	for i := range before.Operations {
		if op := &before.Operations[i]; op.Outcome == model.Done {
			c.expect(op.Result.Revision <= from, "back", "a client was told revision %d, and the members have restored a copy at revision %d", op.Result.Revision, from)
		}
	}
	items := map[string]*model.Item{}
	for _, it := range after.Initial.Items {
		items[it.Key] = it
	}
	for _, w := range before.Watchers {
		for _, stream := range w.Streams {
			for _, r := range stream.Responses {
				c.expect(r.Revision <= from, "back", "%s was told revision %d, and the members have restored a copy at revision %d", w.Client, r.Revision, from)
				for _, e := range r.Events {
					it := items[e.Item.Key]
					if it == nil || e.Revision > copied {
						continue
					}
					c.expect(e.Revision < it.ModRevision || e.Type == model.PutEvent && e.Revision == it.ModRevision && e.Item.Value == it.Value, "other",
						"%s was sent a change of %s at revision %d, and the copy at revision %d has %s of revision %d", w.Client, e.Item.Key, e.Revision, copied, it.Value, it.ModRevision)
				}
			}
		}
	}
	for _, w := range after.Watchers {
		for _, stream := range w.Streams {
			for _, r := range stream.Responses {
				for _, e := range r.Events {
					c.expect(e.Revision > from && stream.Request.StartRevision >= from, "watch",
						"%s watches from revision %d on and is sent revision %d, and the members have restored a copy at revision %d: want it compacted", w.Client, stream.Request.StartRevision, e.Revision, from)
				}
			}
		}
	}
	return c.Finding
}
