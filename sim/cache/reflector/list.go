package reflector

import (
	"cmp"
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/traffic"
	"github.com/watchbed/watchbed/sim/wire"
)

// list is a list that comes in pages, or as initial events.
type list struct {
	// call is the page under way.
	call sim.Conn
	// items are those that came so far.
	items []*wire.KeyValue
	// initial is what the etcd that answered began with, nil if it is not known.
	initial *wire.Initial
	// revision is that of all pages: the first one fixed it. 0 before.
	revision int64
}

func (l *list) reset() {
	clear(l.items)
	*l = list{items: l.items[:0]}
}

// add puts an initial event into the temporary store, which has one object of each key: they
// come in the order of their keys, unless one comes again.
func (l *list) add(item *wire.KeyValue) {
	last := len(l.items) - 1
	if last < 0 || l.items[last].Key < item.Key {
		l.items = append(l.items, item)
		return
	}
	at, known := slices.BinarySearchFunc(l.items, item.Key, func(kv *wire.KeyValue, key string) int { return cmp.Compare(kv.Key, key) })
	if known {
		l.items[at] = item
	} else {
		l.items = slices.Insert(l.items, at, item)
	}
}

func firstPage(cfg *Config) *wire.RangeRequest {
	return &wire.RangeRequest{Key: cfg.Prefix, RangeEnd: prefixEnd(cfg.Prefix), Limit: int64(cfg.PageSize)}
}

// prefixEnd is the end of the range of all keys that begin with a prefix.
func prefixEnd(prefix string) string {
	last := len(prefix) - 1
	return prefix[:last] + string(rune(prefix[last]+1))
}

// List asks for the first page.
func (r *Reflector) List(env *sim.Env) { r.listFrom(env, r.first) }

func (r *Reflector) listFrom(env *sim.Env, first *wire.RangeRequest) {
	env.Writes(cellItems, 0)
	r.list.reset()
	r.move(env, listing)
	r.ask(env, first)
}

func (r *Reflector) ask(env *sim.Env, page *wire.RangeRequest) {
	traffic.Asked(env, traffic.ListForReflector)
	r.list.call = env.Call(r.cfg.KV, page)
}

func (r *Reflector) listAnswered(env *sim.Env, p sim.Payload) {
	r.move(env, r.state)
	r.list.call = sim.NoConn
	switch p := p.(type) {
	case *wire.RangeResponse:
		traffic.Answered(env, traffic.ListForReflector, p)
		r.page(env, p)
	case *wire.Error:
		r.listFailed(env, p.Code)
	default:
		r.listFailed(env, wire.Unavailable)
	}
}

// page takes a page. The list is complete, replaced and watched from in one step:
// no other goroutine sees the reflector between the last page and the lock.
func (r *Reflector) page(env *sim.Env, p *wire.RangeResponse) {
	env.Reads(cellItems, 0)
	env.Writes(cellItems, 0)
	l := &r.list
	if l.revision == 0 {
		l.revision = p.Revision
	}
	l.items, l.initial = append(l.items, p.Kvs...), p.Initial()
	if p.More && len(p.Kvs) == 0 {
		// Nothing says where the next page starts; upstream fails too.
		r.listFailed(env, wire.Unavailable)
		return
	}
	if p.More {
		env.Cover(listPaged)
		next := *r.first
		next.Key = p.Kvs[len(p.Kvs)-1].Key + "\x00"
		next.Revision = l.revision
		r.ask(env, &next)
		return
	}
	r.sink.Replace(env, l.items, l.initial, l.revision)
	r.synced(env, l.revision)
	r.startWatch(env)
}

// listFailed: compaction between two pages makes the pager list again in one
// piece, at the newest revision; everything else ends the ListAndWatch.
func (r *Reflector) listFailed(env *sim.Env, code wire.Code) {
	env.Reads(cellItems, 0)
	if code == wire.ErrCompacted && r.list.revision > 0 {
		env.Cover(listExpired)
		whole := *r.first
		whole.Limit = 0
		r.listFrom(env, &whole)
		return
	}
	env.Cover(listFailed)
	r.endListAndWatch(env)
}

func (l *list) digest() sim.Digest {
	d := sim.NewDigest.Int(l.revision).Int(int64(len(l.items)))
	for _, kv := range l.items {
		d = kv.Digest(d)
	}
	return d
}
