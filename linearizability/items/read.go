package items

import "github.com/watchbed/watchbed/model"

// RangeEnd is the end of the range that a read or delete covers.
func RangeEnd(r *model.Request) string {
	if r.Kind == model.Get {
		return ""
	}
	return r.End
}

// Answers reports whether a Get or a List, its revision aside, is what a store answers that
// has these contents. An answer that shows a few of many items is judged without a look at
// the others.
func (c *Contents) Answers(r *model.Request, res *model.Result, scratch *[]*model.Item) bool {
	if c.base != nil && (r.CountOnly || r.Limit > 0) && r.Selection == (model.Selection{}) {
		have, total := c.first(int(r.Limit), r.Key, RangeEnd(r), scratch)
		return answersFirst(have, total, r, res)
	}
	return answers(c.Between(r.Key, RangeEnd(r), scratch), r, res)
}

// answers is Contents.Answers for the items in the range.
func answers(have []*model.Item, r *model.Request, res *model.Result) bool {
	return answersFirst(have, len(have), r, res)
}

// answersFirst is answers for a range with so many items in all, of which those after the
// limit may be left out if there is no Selection.
func answersFirst(have []*model.Item, total int, r *model.Request, res *model.Result) bool {
	if r.CountOnly {
		return res.Count == int64(total) && len(res.Items) == 0 && !res.More
	}
	all := have
	have = r.Selection.Of(all)
	r.Selection.Align(have, res.Items)
	fit := len(have)
	if len(all) < total {
		fit = total
	}
	more := r.Limit > 0 && int64(fit) > r.Limit
	mayBeMore := false
	if r.Selection.Values != (model.ValuePattern{}) {
		total = len(have)
		// A server that reads on until it has selected enough items does not know
		// whether it would select one more: it looks whether it has come to the end.
		if r.Limit > 0 && int64(total) == r.Limit {
			goesOn := have[total-1] != all[len(all)-1]
			mayBeMore = goesOn && !r.Selection.MoreOfAll
			more = goesOn
		}
	}
	if more && int64(len(have)) > r.Limit {
		have = have[:r.Limit]
	}
	if len(res.Items) != len(have) || res.More != more && !mayBeMore {
		return false
	}
	// Kubernetes does not say how many items a selector would select after a page, and
	// a recorded history may leave the number out.
	if res.Count != int64(total) && !(more && !res.Counted && res.Count == int64(len(have))) {
		return false
	}
	for i, it := range have {
		if !Shows(res.Items[i], it, r.KeysOnly) {
			return false
		}
	}
	return true
}

// Shows reports whether an answered item is the stored one. A Kubernetes object
// has the revision of its last change, but neither that of its creation nor the
// number of its changes, and a register has a value only: revisions are compared
// only if the answer has them.
func Shows(shown, stored *model.Item, keysOnly bool) bool {
	value := stored.Value
	if keysOnly {
		value = ""
	}
	return shown.Key == stored.Key && shown.Value == value &&
		(shown.ModRevision == 0 || shown.ModRevision == stored.ModRevision) &&
		(shown.CreateRevision == 0 || shown.CreateRevision == stored.CreateRevision) &&
		(shown.Version == 0 || shown.Version == stored.Version) &&
		shown.FitsLease(stored)
}
