package cache

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// keptPages are the objects that did not fit into a page, under the token that
// the client got instead (the draft of 2019, "Enable pagination in the watch
// cache"). They are pointers into what the store had then, so keeping them costs
// a word each, and the objects that have changed since.
type keptPages struct {
	token   string
	version int64
	items   []*wire.KeyValue
	since   sim.Time
}

// serveAndKeep answers a page and keeps what comes after it.
func (c *Cache) serveAndKeep(env *sim.Env, i int, view *store.View, prefix string, limit int) {
	r := &c.reads[i]
	all, _ := c.collect(env, r.list, view, prefix, r.start, 0)
	c.finish(env, i, c.keep(env, view.ResourceVersion, prefix, all, limit))
}

// keep makes the page, and keeps the rest under its token.
func (c *Cache) keep(env *sim.Env, at int64, prefix string, all []*wire.KeyValue, limit int) *wire.ListResponse {
	if limit <= 0 || len(all) <= limit {
		return c.answers.list(at, all, "", wire.FromCache)
	}
	env.Cover(listTruncated)
	token := encodeContinue(at, prefix, all[limit-1].Key)
	if len(c.kept) == c.cfg.KeptPages {
		env.Cover(keptOverflowed)
		c.kept = slices.Delete(c.kept, 0, 1)
	}
	c.kept = append(c.kept, keptPages{token, at, all[limit:], env.Now()})
	if !env.Armed(timerKept) {
		env.Arm(timerKept, c.cfg.KeepPagesFor)
	}
	return c.answers.list(at, all[:limit:limit], token, wire.FromCache)
}

// serveKept answers the next page if its objects were kept. They stay: the
// client may ask for the same page again.
func (c *Cache) serveKept(env *sim.Env, i int) bool {
	r := &c.reads[i]
	for k := range c.kept {
		if c.kept[k].token != r.list.Continue {
			continue
		}
		env.Cover(keptServed)
		page := c.kept[k]
		c.finish(env, i, c.keep(env, page.version, store.PreparePrefix(r.list.Prefix), page.items, int(r.list.Limit)))
		return true
	}
	return false
}

// fireKept drops what was kept for long enough.
func (c *Cache) fireKept(env *sim.Env) {
	env.Cover(keptExpired)
	due := 1
	for due < len(c.kept) && c.timed && env.Now().Sub(c.kept[due].since) >= c.cfg.KeepPagesFor {
		due++
	}
	c.kept = slices.Delete(c.kept, 0, min(due, len(c.kept)))
	if len(c.kept) > 0 {
		env.Arm(timerKept, c.cfg.KeepPagesFor-env.Now().Sub(c.kept[0].since))
	}
}

func (k *keptPages) fingerprint(d sim.Digest) sim.Digest {
	return d.Text(k.token).Int(int64(len(k.items))).Int(int64(k.since))
}
