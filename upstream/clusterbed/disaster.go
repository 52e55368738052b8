package clusterbed

import (
	"math"
	"slices"

	"github.com/watchbed/watchbed/model"

	"github.com/watchbed/watchbed/upstream/clusternode"
)

// lose takes out of a history what may be lost with all members but one: what was asked before that, and is behind all that clients of the one that is left were
// told. A write of that kind may have been carried out, since that member may have had it.
func (s *subject) lose(h *model.History, by clusternode.Forced) {
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
		opened := s.watchers[i].opened
		isBehind := func(r model.WatchResponse) bool { return r.Revision > by.Told }
		first := slices.IndexFunc(w.Streams, func(t model.WatchStream) bool { return slices.ContainsFunc(t.Responses, isBehind) })
		if first < 0 || opened[first] > by.Tick {
			continue
		}
		// What is told behind the disaster does not go on from what was lost.
		after, _ := slices.BinarySearch(opened, by.Tick)
		h.Watchers = append(h.Watchers, model.Watcher{Client: w.Client, Streams: w.Streams[after:]})
		w = &h.Watchers[i]
		w.Streams = slices.Clone(w.Streams[:first+1])
		last := &w.Streams[first]
		last.Responses = last.Responses[:slices.IndexFunc(last.Responses, isBehind)]
	}
}

func isLost(op *model.Operation, by clusternode.Forced) bool {
	return op.Call < by.Tick && op.Outcome == model.Done && op.Result.Revision > by.Told
}
