package clusterbed

import (
	"cmp"
	"slices"

	"github.com/watchbed/watchbed/model"
)

// settle gives writes that were not answered their revisions, as watchers saw them: each value is written once. whole:
// some watcher has missed no revision, and a write that it has not seen was never carried out. A tombstone that no
// answered deletion has made is that of the first unanswered deletion of the key.
func settle(h *model.History, whole bool) {
	put, wrote := map[string]int64{}, map[int64]bool{}
	removed := map[string][]int64{}
	for i := range h.Watchers {
		for _, stream := range h.Watchers[i].Streams {
			for _, r := range stream.Responses {
				for _, e := range r.Events {
					if e.Type == model.PutEvent {
						put[e.Item.Value], wrote[e.Revision] = e.Revision, true
					} else if !slices.Contains(removed[e.Item.Key], e.Revision) {
						removed[e.Item.Key] = append(removed[e.Item.Key], e.Revision)
					}
				}
			}
		}
	}
	for key := range removed {
		// A transaction has made a tombstone that stands beside a write.
		removed[key] = slices.DeleteFunc(removed[key], func(rev int64) bool { return wrote[rev] })
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
			if rev := put[written(op.Request)]; rev != 0 {
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

// written is the value that a write has, or the first write in a transaction.
func written(r *model.Request) string {
	value := r.Value
	for i := range r.Success {
		value = cmp.Or(value, written(&r.Success[i]))
	}
	return value
}
