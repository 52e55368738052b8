package clusterbed

import (
	"cmp"
	"slices"

	"github.com/watchbed/watchbed/model"
)

// settle gives writes that were not answered their revisions, as the watchers saw them: each value is written once. What none of them saw, and one that missed
// no revision did not see, was never carried out. A deletion that nobody was told of is that of the first client that asked for it.
func settle(h *model.History, whole bool) {
	put := map[string]int64{}
	removed := map[string][]int64{}
	for i := range h.Watchers {
		for _, stream := range h.Watchers[i].Streams {
			for _, r := range stream.Responses {
				for _, e := range r.Events {
					if e.Type == model.PutEvent {
						put[e.Item.Value] = e.Revision
					} else if !slices.Contains(removed[e.Item.Key], e.Revision) {
						removed[e.Item.Key] = append(removed[e.Item.Key], e.Revision)
					}
				}
			}
		}
	}
	var deletions []*model.Operation
	for i := range h.Operations {
		op := &h.Operations[i]
		unknown := op.Outcome == model.Unknown
		switch key := op.Request.Key; op.Request.Kind {
		case model.Delete:
			if unknown {
				deletions = append(deletions, op)
			} else if op.Outcome == model.Done && op.Result.Deleted > 0 {
				removed[key] = slices.DeleteFunc(removed[key], func(rev int64) bool { return rev == op.Result.Revision })
			}
		case model.Put, model.Txn:
			if !unknown {
				continue
			}
			value := op.Request.Value
			for _, r := range op.Request.Success {
				value = cmp.Or(value, r.Value)
			}
			if rev := put[value]; rev != 0 {
				op.Commit = rev
			} else if whole {
				op.Commit = -1
			}
		}
	}
	for _, op := range deletions {
		left := removed[op.Request.Key]
		if len(left) == 0 {
			if whole {
				op.Commit = -1
			}
			continue
		}
		slices.Sort(left)
		op.Commit, removed[op.Request.Key] = left[0], left[1:]
	}
}
