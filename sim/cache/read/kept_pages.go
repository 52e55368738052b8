package read

import (
	"slices"

	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
)

// keptPages answers a page and keeps what comes after it (the draft of 2019,
// "Enable pagination in the watch cache").
type keptPages struct {
	// rests are the oldest first.
	rests []rest
}

// rest is the objects that did not fit into a page, under the token that the
// client got instead. They are pointers into what the store had then, so keeping
// them costs a word each, and the objects that have changed since.
type rest struct {
	token string
	Page
	since sim.Time
	// bytes of keys and values, as if no other rest and no store had the objects: once
	// they have changed that is so.
	bytes int
}

func bytesOf(p *Page) int {
	n := 0
	for _, kv := range p.Items {
		n += len(kv.Key) + len(kv.Value)
	}
	return n
}

var cellKept = sim.NewCell("cache: kept pages")

func answerAndKeep(env *sim.Env, r *Read, view store.View, prefix string, limit int64) {
	r.d.kept.answer(env, r, r.Page(env, view, prefix, 0), limit)
}

// answer answers with the first objects and keeps the rest under its token. The rest is
// empty if only objects that are not selected come after the page: it has a token then, as
// from etcd.
func (k *keptPages) answer(env *sim.Env, r *Read, all Page, limit int64) {
	n := int64(len(all.Items))
	if limit <= 0 || n < limit || n == limit && !all.Trailed {
		r.Answer(env, &all)
		return
	}
	env.Cover(ListTruncated)
	page, after := all, all
	page.Items, page.More = all.Items[:limit:limit], true
	if r.list.Selector.Empty() {
		page.Remaining = n - limit
	}
	after.Items = all.Items[limit:]
	k.keep(env, r, rest{page.Token(), after, env.Now(), bytesOf(&after)})
	r.Answer(env, &page)
}

// keep adds a rest, and drops the oldest ones until it fits. One that is larger than
// all that may be kept is left out.
func (k *keptPages) keep(env *sim.Env, r *Read, x rest) {
	env.Writes(cellKept, 0)
	l := &r.d.cfg.Limits
	if l.KeptBytes > 0 && x.bytes > l.KeptBytes {
		env.Cover(keptTooLarge)
		return
	}
	for len(k.rests) == l.KeptPages || l.KeptBytes > 0 && k.bytes()+x.bytes > l.KeptBytes {
		env.Cover(keptOverflowed)
		k.rests = slices.Delete(k.rests, 0, 1)
	}
	k.rests = append(k.rests, x)
	env.Record(keptBytes, int64(k.bytes()))
	if timer := r.d.cfg.Kept; !env.Armed(timer) {
		env.Arm(timer, l.KeepPagesFor)
	}
}

func (k *keptPages) bytes() int {
	n := 0
	for i := range k.rests {
		n += k.rests[i].bytes
	}
	return n
}

// next answers the next page of a list if its objects were kept. They stay: the client may ask for the same page
// again.
func (k *keptPages) next(env *sim.Env, r *Read) bool {
	env.Reads(cellKept, 0)
	for _, after := range k.rests {
		if after.token == r.list.Continue {
			env.Cover(keptServed)
			after.Prefix = store.PreparePrefix(r.list.Prefix)
			k.answer(env, r, after.Page, r.list.Limit)
			return true
		}
	}
	return false
}

// FireKept is the timer Numbers.Kept going off: it drops what was kept for long enough. The rest that
// the timer was set for may have been dropped for newer ones. Untimed the oldest goes.
func (d *Delegator) FireKept(env *sim.Env) {
	k, keepFor := &d.kept, d.cfg.KeepPagesFor
	env.Writes(cellKept, 0)
	due := 0
	if env.Mode() == sim.Untimed {
		due = min(1, len(k.rests))
	}
	for due < len(k.rests) && env.Mode() == sim.Timed && env.Now().Sub(k.rests[due].since) >= keepFor {
		due++
	}
	if due > 0 {
		env.Cover(keptExpired)
		k.rests = slices.Delete(k.rests, 0, due)
	}
	if len(k.rests) > 0 {
		env.Arm(d.cfg.Kept, keepFor-env.Now().Sub(k.rests[0].since))
	}
}

func (k *keptPages) digest() sim.Digest {
	d := sim.NewDigest
	for i := range k.rests {
		d = d.Text(k.rests[i].token).Int(int64(len(k.rests[i].Items))).Int(int64(k.rests[i].since))
	}
	return d
}

var (
	keptServed     = sim.NewSituation("cache: page answered from what was kept")
	keptExpired    = sim.NewSituation("cache: kept pages dropped after their time")
	keptOverflowed = sim.NewSituation("cache: kept pages dropped for newer ones")
	keptTooLarge   = sim.NewSituation("cache: rest of a list that is too large to be kept")

	keptBytes = metric.New("kept_pages_bytes", metric.Bytes,
		"keys and values in the rests of lists that a cache keeps, whenever it keeps one more")
)
