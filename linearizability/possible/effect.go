package possible

import (
	"slices"

	"github.com/watchbed/watchbed/model"
)

// effect is one way in which a write may change keys: what each may be afterwards, in the order of
// their first change.
type effect struct {
	keys    []keyEffect
	changed bool
}

type keyEffect struct {
	key     int32
	options []option
}

func (e *effect) of(key int32) []option {
	for i := range e.keys {
		if e.keys[i].key == key {
			return e.keys[i].options
		}
	}
	return nil
}

// with is the effect with another key in it.
func (e effect) with(key int32, options []option) effect {
	e.keys = slices.Clone(e.keys)
	for i := range e.keys {
		if e.keys[i].key == key {
			e.keys[i].options = options
			return e
		}
	}
	e.keys = append(e.keys, keyEffect{key, options})
	return e
}

// maxEffects bounds the ways in which one write may have gone.
const maxEffects = 64

// now is what a key may be, and whether it may be anything, at the newest revision so far.
func (t *Timeline) now(key int32, rev int64) (options []option, wild bool) {
	run := &t.runs[key]
	last := len(run.changes) - 1
	if last < 0 {
		return []option{absent}, t.wild(run, last, rev)
	}
	for _, c := range run.options(last) {
		options = append(options, c.option)
	}
	t.effort += len(options)
	return options, t.wild(run, last, rev)
}

// effects are the ways in which a write may have made a revision: only those with a change.
// The result says which branches were taken, nil if that is not known.
func (t *Timeline) effects(r *model.Request, res *model.Result, rev int64) []effect {
	all := t.extend([]effect{{}}, r, res, rev)
	return slices.DeleteFunc(all, func(e effect) bool { return !e.changed })
}

// extend are the ways in which a request may go on after each of some effects.
func (t *Timeline) extend(before []effect, r *model.Request, res *model.Result, rev int64) (after []effect) {
	t.effort += len(before)
	switch r.Kind {
	case model.Put:
		key := t.at[r.Key]
		for _, e := range before {
			options := e.of(key)
			wild := false
			if options == nil {
				options, wild = t.now(key, rev-1)
			}
			if o, accepted := put(r, rev, options, wild); accepted {
				e = e.with(key, []option{o})
				e.changed = true
				after = append(after, e)
			}
		}
		return after
	case model.Delete:
		if res != nil && res.Deleted == 0 {
			return before
		}
		from, to := t.between(r.Key, r.End)
		for _, e := range before {
			after = append(after, t.delete(e, from, to, rev))
		}
		return after
	case model.LeaseRevoke:
		for _, e := range before {
			after = append(after, t.revoke(e, r.Lease, rev))
		}
		return after
	case model.Txn:
		for _, succeeds := range [...]bool{true, false} {
			if res != nil && res.Succeeded != succeeds || res == nil && !t.mayDecide(r.Compare, succeeds, rev) {
				continue
			}
			one := before
			branch := r.Branch(succeeds)
			for i := range branch {
				var shown *model.Result
				if res != nil && i < len(res.Results) {
					shown = &res.Results[i]
				}
				one = t.extend(one, &branch[i], shown, rev)
			}
			after = append(after, one...)
		}
		if len(after) > maxEffects {
			t.effort = maxEffort + 1
			after = after[:maxEffects]
		}
		return after
	}
	return before
}

func (t *Timeline) delete(e effect, from, to int, rev int64) effect {
	before := e
	e.keys = slices.Clone(e.keys)
	for n := from; n < to; n++ {
		key := int32(n)
		t.effort++
		if options := before.of(key); options != nil {
			if slices.ContainsFunc(options, func(o option) bool { return o.item != nil }) {
				e = e.with(key, []option{absent})
				e.changed = true
			}
			continue
		}
		run := &t.runs[n]
		if t.mayBeThere(run, len(run.changes)-1, rev-1) {
			e.keys = append(e.keys, keyEffect{key, []option{absent}})
			e.changed = true
		}
	}
	return e
}

func (t *Timeline) revoke(e effect, lease, rev int64) effect {
	for _, key := range t.attached[lease] {
		options, _ := t.now(key, rev-1)
		var left []option
		gone := false
		for _, o := range options {
			if !o.mayBeOn(lease) {
				left = append(left, o)
				continue
			}
			if gone = true; o.anyLease {
				left = append(left, o)
			}
		}
		if gone {
			if !has(left, absent) {
				left = append(left, absent)
			}
			e = e.with(key, left)
			e.changed = true
		}
	}
	return e
}

// mayDecide reports whether a transaction may succeed, or fail, with the contents before a revision.
func (t *Timeline) mayDecide(compares []model.Compare, succeeds bool, rev int64) bool {
	sure := true
	for i := range compares {
		holds, known := t.decide(&compares[i], rev)
		if known && !holds {
			return !succeeds
		}
		sure = sure && known
	}
	return succeeds || !sure
}

// decide is whether a comparison holds, if that is known.
func (t *Timeline) decide(c *model.Compare, rev int64) (holds, known bool) {
	from, to := t.between(c.Key, c.End)
	var found []*model.Item
	for n := from; n < to; n++ {
		options, wild := t.now(int32(n), rev-1)
		if wild || len(options) > 1 || !options[0].isExact() {
			return false, false
		}
		if options[0].item != nil {
			found = append(found, options[0].item)
		}
	}
	return c.Holds(found), true
}
