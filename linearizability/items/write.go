package items

import (
	"slices"

	"github.com/watchbed/watchbed/model"
)

// Apply carries out a write that would make revision rev, and reports whether it
// changed anything and whether that is what the client was answered. A nil result
// is an answer that never arrived, and is always right. What the contents are
// after a wrong answer is of no use. A read of the past inside a transaction is not
// compared: the contents have no past.
func (c *Contents) Apply(r *model.Request, res *model.Result, rev int64, scratch *[]*model.Item) (changed, right bool) {
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
func (c *Contents) decide(r *model.Request, succeeds []bool, scratch *[]*model.Item) (all []bool, kept bool) {
	if r.Kind != model.Txn {
		return succeeds, !r.IgnoreValue && !r.IgnoreLease || c.Get(r.Key) != nil
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

// carryOut is Apply where it is decided which transactions succeed.
func (c *Contents) carryOut(r *model.Request, res *model.Result, rev int64, succeeds *[]bool, scratch *[]*model.Item) (changed, right bool) {
	switch r.Kind {
	case model.Put:
		right = c.wasBefore(r, res, scratch)
		c.put(r, rev)
		return true, right
	case model.Delete:
		right = c.wasBefore(r, res, scratch)
		n := c.deleteRange(r.Key, r.End, scratch)
		return n > 0, right && (res == nil || res.Deleted == n)
	case model.LeaseRevoke:
		return c.Revoke(r.Lease) > 0, true
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
			if shown != nil && b.Freshness != model.Exact && !c.Answers(b, shown, scratch) {
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

// wasBefore reports whether a write was answered with the items that it replaces or deletes if it asked
// for them, and with none if not.
func (c *Contents) wasBefore(r *model.Request, res *model.Result, scratch *[]*model.Item) bool {
	switch {
	case res == nil:
		return true
	case !r.PrevKV:
		return len(res.Prev) == 0
	}
	return slices.EqualFunc(res.Prev, c.Between(r.Key, r.End, scratch), func(shown, stored *model.Item) bool { return Shows(shown, stored, false) })
}

func (c *Contents) put(r *model.Request, rev int64) {
	it := c.Arena.item()
	if c.Plain {
		rev = 1
	}
	*it = model.Item{Key: r.Key, Value: r.Value, CreateRevision: rev, ModRevision: rev, Version: 1, Lease: r.Lease}
	if old := c.Get(r.Key); old != nil {
		if r.IgnoreValue {
			it.Value = old.Value
		}
		if r.IgnoreLease {
			it.Lease = old.Lease
		}
		if !c.Plain {
			it.CreateRevision, it.Version = old.CreateRevision, old.Version+1
		}
	}
	c.Set(it)
}

func (c *Contents) deleteRange(key, end string, scratch *[]*model.Item) int64 {
	if end == "" {
		if c.Remove(key) {
			return 1
		}
		return 0
	}
	// Removing shifts the items that the range is a window on.
	gone := append([]*model.Item(nil), c.Between(key, end, scratch)...)
	for _, it := range gone {
		c.Remove(it.Key)
	}
	return int64(len(gone))
}

// Idle reports whether the answer of a write that changed nothing is right for
// these contents, which it leaves alone.
func (c *Contents) Idle(r *model.Request, res *model.Result, scratch *[]*model.Item) bool {
	switch r.Kind {
	case model.Delete:
		return res.Deleted == 0 && len(res.Prev) == 0 && len(c.Between(r.Key, r.End, scratch)) == 0
	case model.LeaseRevoke:
		return !c.Holds(r.Lease)
	}
	does := c.compares(r, scratch)
	return res.Succeeded == does && c.idleBranch(r.Branch(does), res, scratch)
}

func (c *Contents) idleBranch(branch []model.Request, res *model.Result, scratch *[]*model.Item) bool {
	if len(branch) != len(res.Results) {
		return false
	}
	for i := range branch {
		b, shown := &branch[i], &res.Results[i]
		switch {
		case b.Kind == model.Put:
			return false
		case b.IsWrite():
			if !c.Idle(b, shown, scratch) {
				return false
			}
		case b.Freshness != model.Exact && !c.Answers(b, shown, scratch):
			return false
		}
	}
	return true
}

// compares reports whether all conditions of a transaction hold.
func (c *Contents) compares(r *model.Request, scratch *[]*model.Item) bool {
	for i := range r.Compare {
		if p := &r.Compare[i]; !p.Holds(c.Between(p.Key, p.End, scratch)) {
			return false
		}
	}
	return true
}
