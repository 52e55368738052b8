package read

import (
	"slices"

	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// rest is the objects that did not fit into a page, under the token that the client got instead (the draft of 2019,
// "Enable pagination in the watch cache"). They are pointers into what the store had then, so keeping them costs a word
// each, and the objects that have changed since. Lists with other selectors have the same token: it says no more than
// where a page ended.
type rest struct {
	token    string
	selector wire.Selector
	page
	since sim.Time
	// bytes of keys and values, as if no other rest and no store had the objects: once
	// they have changed that is so.
	bytes int
}

func (x *rest) Digest(d sim.Digest) sim.Digest {
	return d.Text(x.token).Text(x.selector.String()).Int(int64(len(x.items))).Int(int64(x.since))
}

// answerAndKeep answers with the first objects and keeps the rest under its token. The rest is
// empty if only objects that are not selected come after the page: it has a token then, as
// from etcd.
func (r *Read) answerAndKeep(env *sim.Env, all page, limit int64) {
	n := int64(len(all.items))
	if limit <= 0 || n < limit || n == limit && !all.trailed {
		r.answer(env, &all)
		return
	}
	env.Cover(ListTruncated)
	first, after := all, all
	first.items, first.more = all.items[:limit:limit], true
	if r.list.Selector.Empty() {
		first.remaining = n - limit
	}
	after.items = all.items[limit:]
	bytes := 0
	for _, kv := range after.items {
		bytes += len(kv.Key) + len(kv.Value)
	}
	r.d.keep(env, rest{first.token(), r.list.Selector, after, env.Now(), bytes})
	r.answer(env, &first)
}

// keep adds a rest, and drops the oldest ones until it fits. One that is larger than
// all that may be kept is left out.
func (d *Delegator) keep(env *sim.Env, x rest) {
	kept, l := d.kept.Change(env), &d.cfg.Limits
	if l.KeptBytes > 0 && x.bytes > l.KeptBytes {
		env.Cover(keptTooLarge)
		return
	}
	for len(*kept) == l.KeptPages || l.KeptBytes > 0 && bytesOf(*kept)+x.bytes > l.KeptBytes {
		env.Cover(keptOverflowed)
		*kept = slices.Delete(*kept, 0, 1)
	}
	*kept = append(*kept, x)
	env.Record(keptBytes, int64(bytesOf(*kept)))
	if !env.Armed(d.cfg.Kept) {
		env.Arm(d.cfg.Kept, l.KeepPagesFor)
	}
}

func bytesOf(kept []rest) (n int) {
	for i := range kept {
		n += kept[i].bytes
	}
	return n
}

// answerKept answers the next page of a list if its objects were kept. They stay: the client may ask for the same page
// again.
func (r *Read) answerKept(env *sim.Env) bool {
	for _, after := range *r.d.kept.Read(env) {
		if after.token == r.list.Continue && after.selector.String() == r.list.Selector.String() {
			env.Cover(keptServed)
			after.prefix = store.PreparePrefix(r.list.Prefix)
			r.answerAndKeep(env, after.page, r.list.Limit)
			return true
		}
	}
	return false
}

// FireKept is the timer Config.Kept going off: it drops what was kept for long enough. The rest that
// the timer was set for may have been dropped for newer ones. Untimed the oldest goes.
func (d *Delegator) FireKept(env *sim.Env) {
	kept, keepFor := d.kept.Change(env), d.cfg.KeepPagesFor
	due := 0
	if env.Mode() == sim.Untimed {
		due = min(1, len(*kept))
	}
	for due < len(*kept) && env.Mode() == sim.Timed && env.Now().Sub((*kept)[due].since) >= keepFor {
		due++
	}
	if due > 0 {
		env.Cover(keptExpired)
		*kept = slices.Delete(*kept, 0, due)
	}
	if len(*kept) > 0 {
		env.Arm(d.cfg.Kept, keepFor-env.Now().Sub((*kept)[0].since))
	}
}

var (
	keptServed     = sim.NewCoveragePoint("cache: page answered from what was kept")
	keptExpired    = sim.NewCoveragePoint("cache: kept pages dropped after their time")
	keptOverflowed = sim.NewCoveragePoint("cache: kept pages dropped for newer ones")
	keptTooLarge   = sim.NewCoveragePoint("cache: rest of a list that is too large to be kept")

	keptBytes = metric.New("kept_pages_bytes", metric.Bytes,
		"keys and values in the rests of lists that a cache keeps, whenever it keeps one more")
)
