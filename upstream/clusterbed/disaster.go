package clusterbed

import (
	"math"
	"slices"

	"github.com/watchbed/watchbed/model"

	"github.com/watchbed/watchbed/upstream/clusternode"
)

// lose takes out of a history what may be lost with disks: what was asked before that, and is behind the revision that is still there. A write of that kind may have
// been carried out, since what is left may have had it. opened are the ticks at which the streams of each watcher were opened.
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
