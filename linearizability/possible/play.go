package possible

import (
	"slices"

	"github.com/watchbed/watchbed/model"
)

// play goes from revision to revision.
func (b *building) play() {
	for _, it := range b.history.Initial.Items {
		b.reset(b.at[it.Key], b.initial, []option{{item: it}})
	}
	for _, rev := range b.revisions() {
		b.observe(rev - 1)
		i, made := b.made[rev]
		switch {
		case made:
			b.known(i, rev)
		case b.partial:
			b.unrecorded(rev)
		default:
			b.hole(rev)
		}
		if b.Fault.Kind != None || b.Spent() {
			return
		}
	}
	b.observe(b.newest)
	b.tail()
}

// revisions are those at which something is known to happen.
func (b *building) revisions() []int64 {
	if b.partial {
		all := slices.Clone(b.taken)
		for rev := range b.shown {
			all = append(all, rev)
		}
		slices.Sort(all)
		return all
	}
	holes := b.newest - b.initial - int64(len(b.taken))
	if holes > int64(len(b.lost)) {
		// There are fewer writes than revisions.
		b.Fault = Fault{Kind: Unmade, Operation: -1, Revision: b.holeNumber(len(b.lost))}
		return nil
	}
	all := make([]int64, 0, b.newest-b.initial)
	for rev := b.initial + 1; rev <= b.newest; rev++ {
		all = append(all, rev)
	}
	return all
}

func (b *building) holeNumber(n int) int64 {
	rev := b.HoleBehind(b.initial)
	for range n {
		rev = b.HoleBehind(rev)
	}
	return rev
}

// observe judges the answers that name a revision up to one.
func (b *building) observe(rev int64) {
	for len(b.points) > 0 && b.points[0].revision <= rev {
		p := b.points[0]
		b.points = b.points[1:]
		op := &b.history.Operations[p.operation]
		if !b.mayAnswer(op, p.revision, true) {
			b.Impossible[p.operation] = true
		}
	}
}

// known is a revision of which the write is known.
func (b *building) known(i int, rev int64) {
	op := &b.history.Operations[i]
	res := op.Result
	if op.Outcome == model.Unknown {
		res = nil
	}
	effects := b.effects(op.Request, res, rev)
	if len(effects) == 0 && !b.partial {
		b.Fault = Fault{Idle, i, rev}
		return
	}
	b.join(effects, rev)
}

// unrecorded is a revision of a partial history that a write made which is not recorded: what
// answers show of it is all that is known.
func (b *building) unrecorded(rev int64) {
	shown := b.shown[rev]
	if len(shown) == 1 {
		b.reset(b.at[shown[0].item.Key], rev, []option{shown[0].option(rev)})
		return
	}
	best := map[int32]shownPut{}
	var keys []int32
	for _, p := range shown {
		key := b.at[p.item.Key]
		old, known := best[key]
		if !known {
			keys = append(keys, key)
		}
		if !known || p.tells() > old.tells() {
			best[key] = p
		}
	}
	for _, key := range keys {
		b.reset(key, rev, []option{best[key].option(rev)})
	}
}

// tells is how much is shown of what was put.
func (p shownPut) tells() int {
	o := p.option(p.item.ModRevision)
	n := 0
	for _, unknown := range [...]bool{o.anyNumbers, o.anyValue, o.anyLease} {
		if !unknown {
			n++
		}
	}
	return n
}

func (p shownPut) option(rev int64) option {
	it := p.item
	if it.ModRevision != rev {
		other := *it
		other.ModRevision = rev
		it = &other
	}
	numbers := it.CreateRevision != 0 && it.Version != 0
	return option{item: it, anyNumbers: p.keyOnly || !numbers, anyValue: p.keyOnly || p.noValue, anyLease: p.keyOnly || it.Lease == 0 && !numbers}
}

// hole is a revision that one of several writes made.
func (b *building) hole(rev int64) {
	var all []effect
	var made []int
	for _, i := range b.lost {
		op := &b.history.Operations[i]
		if b.order.Behind[i] >= rev || op.Outcome == model.Done && op.Result.Revision != 0 && op.Result.Revision != rev {
			continue
		}
		effects := slices.DeleteFunc(b.effects(op.Request, op.Result, rev), func(e effect) bool { return !b.fits(e, rev) })
		if len(effects) > 0 {
			made = append(made, i)
			all = append(all, effects...)
		}
	}
	switch len(made) {
	case 0:
		b.Fault = Fault{Kind: Unmade, Operation: -1, Revision: rev}
		return
	case 1:
		// It made this one, and no other.
		b.lost = slices.DeleteFunc(b.lost, func(i int) bool { return i == made[0] })
	}
	b.join(all, rev)
}

// fits reports whether an effect is what answers show of a revision, and leaves alone what they
// show to have stayed.
func (b *building) fits(e effect, rev int64) bool {
	for _, p := range b.shown[rev] {
		key, there := b.at[p.item.Key]
		if !there || !slices.ContainsFunc(e.of(key), func(o option) bool {
			return o.item != nil && o.item.ModRevision == rev && (p.keyOnly || o.shows(p.item, p.noValue))
		}) {
			return false
		}
	}
	for i := range e.keys {
		k := &e.keys[i]
		before, _ := b.now(k.key, rev-1)
		for _, o := range before {
			if o.item != nil && b.seen[version{o.item.Key, o.item.ModRevision}].revision >= rev && !has(k.options, o) {
				return false
			}
		}
	}
	return true
}

// join adds what a revision has done: one of some effects.
func (b *building) join(effects []effect, rev int64) {
	if len(effects) == 1 {
		for _, k := range effects[0].keys {
			b.reset(k.key, rev, k.options)
		}
		return
	}
	var keys []int32
	for i := range effects {
		for _, k := range effects[i].keys {
			if !slices.Contains(keys, k.key) {
				keys = append(keys, k.key)
			}
		}
	}
	for _, key := range keys {
		stays := false
		var options []option
		for i := range effects {
			of := effects[i].of(key)
			stays = stays || of == nil
			for _, o := range of {
				if !has(options, o) {
					options = append(options, o)
				}
			}
		}
		if stays {
			b.add(key, rev, options)
		} else {
			b.reset(key, rev, options)
		}
	}
}

// reset makes some options all that a key may be.
func (b *building) reset(key int32, rev int64, options []option) {
	run := &b.runs[key]
	at := int32(len(run.changes))
	for _, o := range options {
		c := change{revision: rev, reset: at, seenBy: -1, option: o}
		if o.item != nil {
			if s, seen := b.seen[version{o.item.Key, o.item.ModRevision}]; seen {
				c.until = s.revision
				if b.order.RealTime {
					c.seenBy = s.operation
				}
			}
		}
		run.changes = append(run.changes, c)
	}
}

// add makes more options possible, and reports whether there are any that were not.
func (b *building) add(key int32, rev int64, options []option) (added bool) {
	run := &b.runs[key]
	if len(run.changes) == 0 {
		b.reset(key, b.initial, []option{absent})
	}
	before, _ := b.now(key, rev)
	for _, o := range options {
		if !has(before, o) {
			run.changes = append(run.changes, change{revision: rev, reset: run.changes[len(run.changes)-1].reset, seenBy: -1, option: o})
			added = true
		}
	}
	return added
}

// tail is all that may have happened behind the newest revision.
func (b *building) tail() {
	if b.partial {
		return
	}
	rev := b.newest + 1
	for more := true; more && !b.Spent(); {
		more = false
		for _, i := range b.lost {
			op := &b.history.Operations[i]
			if op.Outcome == model.Done && op.Result.Revision != 0 {
				continue
			}
			for _, e := range b.effects(op.Request, op.Result, rev) {
				for _, k := range e.keys {
					for j := range k.options {
						k.options[j] = late(k.options[j], rev)
					}
					more = b.add(k.key, rev, k.options) || more
				}
			}
		}
	}
}

// late is an option of the tail: how often its key had been put is not known.
func late(o option, rev int64) option {
	if o.item == nil || o.item.ModRevision != rev {
		return o
	}
	it := *o.item
	it.CreateRevision, it.Version = 0, 0
	return option{item: &it, anyNumbers: true, anyValue: o.anyValue, anyLease: o.anyLease}
}
