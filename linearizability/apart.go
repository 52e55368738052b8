package linearizability

import (
	"slices"

	"github.com/watchbed/watchbed/model"
)

// apart is the part of a history about which the fate of no write decides: without the
// operations on keys that a write may have changed of which it is not known whether it took effect,
// or at which revision. What is left of it is a history of the other keys, of which all
// writers are recorded, though not all revisions: a partial one in which contents are
// certain. What is wrong there is wrong for every fate. It is nil where keys cannot be told apart.
func apart(h *model.History) *model.History {
	keys, ok := keysOfLost(h)
	if !ok {
		return nil
	}
	part := *h
	part.Partial = true
	part.Operations = slices.Clone(h.Operations)
	for i := range part.Operations {
		if op := &part.Operations[i]; concerns(op.Request, keys) {
			op.Outcome, op.Result = model.Failed, &model.Result{Err: model.Unavailable}
		}
	}
	return &part
}

// keysOfLost are the keys that a lost write may have changed, in order, and those that a
// transaction looks at or changes together with one of them.
func keysOfLost(h *model.History) (keys []string, ok bool) {
	var several []*model.Request
	ok = true
	add := func(key, end string) {
		ok = ok && end == ""
		if at, found := slices.BinarySearch(keys, key); !found {
			keys = slices.Insert(keys, at, key)
		}
	}
	for i := range h.Operations {
		op := &h.Operations[i]
		r := op.Request
		switch {
		case r.Kind == model.LeaseRevoke:
			return nil, false
		case !r.IsWrite() || op.Outcome == model.Failed:
			continue
		case op.Outcome == model.Unknown && op.Commit == 0, op.Outcome == model.Done && op.Result.Revision == 0:
			ranges(r, add)
		}
		if _, one := onlyKey(r); !one {
			several = append(several, r)
		}
	}
	for before := -1; ok && before < len(keys); {
		before = len(keys)
		for _, r := range several {
			if concerns(r, keys) {
				ranges(r, add)
			}
		}
	}
	return keys, ok && len(keys) > 0
}

// concerns reports whether a request is about one of some keys, which are in order.
func concerns(r *model.Request, keys []string) (does bool) {
	ranges(r, func(key, end string) {
		at, _ := slices.BinarySearch(keys, key)
		does = does || at < len(keys) && model.InRange(keys[at], key, end)
	})
	return does
}
