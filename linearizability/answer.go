package linearizability

import "github.com/watchbed/watchbed/model"

// apply carries out a write that would make revision rev, and reports whether it
// changed anything and whether that is what the client was answered. A nil result
// is an answer that never arrived, and is always right. What the contents are
// after a wrong answer is of no use. A read of the past inside a transaction is not
// compared: the contents have no past.
func (c *contents) apply(r *model.Request, res *model.Result, rev int64, scratch *[]*model.Item) (changed, right bool) {
	switch r.Kind {
	case model.Put:
		c.put(r.Key, r.Value, rev)
		return true, true
	case model.Delete:
		n := c.deleteRange(r.Key, r.End, scratch)
		return n > 0, res == nil || res.Deleted == n
	}
	succeeds := true
	for i := range r.Compare {
		if !c.holds(&r.Compare[i], scratch) {
			succeeds = false
			break
		}
	}
	if res != nil && res.Succeeded != succeeds {
		return false, false
	}
	branch := r.Failure
	if succeeds {
		branch = r.Success
	}
	if res != nil && len(res.Results) != len(branch) {
		return false, false
	}
	for i := range branch {
		var shown *model.Result
		if res != nil {
			shown = &res.Results[i]
		}
		b := &branch[i]
		if !b.IsWrite() {
			if shown != nil && b.Freshness != model.Exact && !answers(c.between(b.Key, rangeEnd(b), scratch), b, shown) {
				return false, false
			}
			continue
		}
		did, ok := c.apply(b, shown, rev, scratch)
		if !ok {
			return false, false
		}
		changed = changed || did
	}
	return changed, true
}

// idle reports whether the answer of a write that changed nothing is right for
// these contents, which it leaves alone.
func (c *contents) idle(r *model.Request, res *model.Result, scratch *[]*model.Item) bool {
	if r.Kind == model.Delete {
		return res.Deleted == 0 && len(c.between(r.Key, r.End, scratch)) == 0
	}
	for i := range r.Compare {
		if !c.holds(&r.Compare[i], scratch) {
			return !res.Succeeded && c.idleBranch(r.Failure, res, scratch)
		}
	}
	return res.Succeeded && c.idleBranch(r.Success, res, scratch)
}

func (c *contents) idleBranch(branch []model.Request, res *model.Result, scratch *[]*model.Item) bool {
	if len(branch) != len(res.Results) {
		return false
	}
	for i := range branch {
		b, shown := &branch[i], &res.Results[i]
		switch {
		case b.Kind == model.Put:
			return false
		case b.Kind == model.Delete:
			if !c.idle(b, shown, scratch) {
				return false
			}
		case b.Freshness != model.Exact && !answers(c.between(b.Key, rangeEnd(b), scratch), b, shown):
			return false
		}
	}
	return true
}

func (c *contents) holds(p *model.Compare, scratch *[]*model.Item) bool {
	return p.Holds(c.between(p.Key, p.End, scratch))
}

// rangeEnd is the end of the range that a read or delete covers.
func rangeEnd(r *model.Request) string {
	if r.Kind == model.Get {
		return ""
	}
	return r.End
}

// answers reports whether a Get or a List, its revision aside, is what a store
// answers that has these items in the range.
func answers(have []*model.Item, r *model.Request, res *model.Result) bool {
	total := len(have)
	if r.CountOnly {
		return res.Count == int64(total) && len(res.Items) == 0 && !res.More
	}
	all := have
	have = r.Selection.Of(all)
	more := r.Limit > 0 && int64(len(have)) > r.Limit
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
	if res.Count != int64(total) && !(more && res.Count == int64(len(have))) {
		return false
	}
	for i, it := range have {
		if !shows(res.Items[i], it, r.KeysOnly) {
			return false
		}
	}
	return true
}

// shows reports whether an answered item is the stored one. A Kubernetes object
// has the revision of its last change, but neither that of its creation nor the
// number of its changes, and a register has a value only: revisions are compared
// only if the answer has them.
func shows(shown, stored *model.Item, keysOnly bool) bool {
	value := stored.Value
	if keysOnly {
		value = ""
	}
	return shown.Key == stored.Key && shown.Value == value &&
		(shown.ModRevision == 0 || shown.ModRevision == stored.ModRevision) &&
		(shown.CreateRevision == 0 || shown.CreateRevision == stored.CreateRevision) &&
		(shown.Version == 0 || shown.Version == stored.Version)
}
