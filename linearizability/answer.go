package linearizability

import "github.com/watchbed/watchbed/model"

// apply carries out a write that would make revision rev, and reports whether it
// changed anything and whether that is what the client was answered. A nil result
// is an answer that never arrived, and is always right. What the contents are
// after a wrong answer is of no use. A read of the past inside a transaction is not
// compared: the contents have no past.
func (c *contents) apply(r *model.Request, res *model.Result, rev int64, scratch *[]*model.Item) (changed, right bool) {
	var room [8]bool
	succeeds, kept := c.decide(r, room[:0], scratch)
	if !kept {
		// etcd refuses it.
		return false, res == nil
	}
	return c.carryOut(r, res, rev, &succeeds, scratch)
}

// decide adds which transactions succeed, the outer ones before those in them: the contents
// before all of it decide. It reports whether there is what the puts of a request keep.
func (c *contents) decide(r *model.Request, succeeds []bool, scratch *[]*model.Item) (all []bool, kept bool) {
	if r.Kind != model.Txn {
		return succeeds, !r.IgnoreValue && !r.IgnoreLease || c.get(r.Key) != nil
	}
	does := c.compares(r, scratch)
	succeeds, kept = append(succeeds, does), true
	branch := r.Branch(does)
	for i := range branch {
		var ok bool
		succeeds, ok = c.decide(&branch[i], succeeds, scratch)
		kept = kept && ok
	}
	return succeeds, kept
}

// carryOut is apply where it is decided which transactions succeed.
func (c *contents) carryOut(r *model.Request, res *model.Result, rev int64, succeeds *[]bool, scratch *[]*model.Item) (changed, right bool) {
	switch r.Kind {
	case model.Put:
		c.put(r, rev)
		return true, true
	case model.Delete:
		n := c.deleteRange(r.Key, r.End, scratch)
		return n > 0, res == nil || res.Deleted == n
	case model.LeaseRevoke:
		return c.revoke(r.Lease) > 0, true
	}
	does := (*succeeds)[0]
	*succeeds = (*succeeds)[1:]
	branch := r.Branch(does)
	if res != nil && (res.Succeeded != does || len(res.Results) != len(branch)) {
		return false, false
	}
	for i := range branch {
		var shown *model.Result
		if res != nil {
			shown = &res.Results[i]
		}
		b := &branch[i]
		if !b.IsWrite() {
			if shown != nil && b.Freshness != model.Exact && !c.answers(b, shown, scratch) {
				return false, false
			}
			continue
		}
		did, ok := c.carryOut(b, shown, rev, succeeds, scratch)
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
	switch r.Kind {
	case model.Delete:
		return res.Deleted == 0 && len(c.between(r.Key, r.End, scratch)) == 0
	case model.LeaseRevoke:
		return !c.holds(r.Lease)
	}
	does := c.compares(r, scratch)
	return res.Succeeded == does && c.idleBranch(r.Branch(does), res, scratch)
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
		case b.IsWrite():
			if !c.idle(b, shown, scratch) {
				return false
			}
		case b.Freshness != model.Exact && !c.answers(b, shown, scratch):
			return false
		}
	}
	return true
}

// compares reports whether all conditions of a transaction hold.
func (c *contents) compares(r *model.Request, scratch *[]*model.Item) bool {
	for i := range r.Compare {
		if p := &r.Compare[i]; !p.Holds(c.between(p.Key, p.End, scratch)) {
			return false
		}
	}
	return true
}

// rangeEnd is the end of the range that a read or delete covers.
func rangeEnd(r *model.Request) string {
	if r.Kind == model.Get {
		return ""
	}
	return r.End
}

// answers reports whether a Get or a List, its revision aside, is what a store answers that
// has these contents. An answer that shows a few of many items is judged without a look at
// the others.
func (c *contents) answers(r *model.Request, res *model.Result, scratch *[]*model.Item) bool {
	if c.base != nil && (r.CountOnly || r.Limit > 0) && r.Selection == (model.Selection{}) {
		have, total := c.first(int(r.Limit), r.Key, rangeEnd(r), scratch)
		return answersFirst(have, total, r, res)
	}
	return answers(c.between(r.Key, rangeEnd(r), scratch), r, res)
}

// answers is contents.answers for the items in the range.
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
		(shown.Version == 0 || shown.Version == stored.Version) &&
		shown.FitsLease(stored)
}
