package cache

import (
	"slices"
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/cache/traffic"
	"github.com/watchbed/watchbed/sim/wire"
)

// field finds what a selector selects by; nil if the resource has no such field.
func (c *Cache) field(s wire.FieldSelector) *store.Field {
	for i := range c.cfg.Fields {
		if c.cfg.Fields[i].Name == s.Field {
			return &c.cfg.Fields[i]
		}
	}
	return nil
}

// selectable reports whether the cache can tell which objects are selected.
func (c *Cache) selectable(s wire.FieldSelector) bool { return s.Empty() || c.field(s) != nil }

func unsupportedField(s wire.FieldSelector) *wire.Error {
	return &wire.Error{Code: wire.BadRequest, Message: "fieldSelector: field label not supported: " + strconv.Quote(s.Field)}
}

// collect lists the objects that a list is about: those under a prefix from a
// key on that its selector selects, at most limit of them unless that is 0. It
// reports whether there are more.
func (c *Cache) collect(env *sim.Env, list *wire.ListRequest, view *store.View, prefix, start string, limit int64) ([]*wire.KeyValue, bool) {
	if list.Selector.Empty() {
		return c.answers.collect(view, prefix, start, limit)
	}
	a := &c.answers
	a.begin(0, limit)
	if view.AscendIndexed(list.Selector.Field, list.Selector.Value, prefix, start, a.take) {
		env.Cover(listByIndex)
		return a.end()
	}
	env.Cover(listFiltered)
	value := c.field(list.Selector).Value
	view.Ascend(prefix, start, func(kv *wire.KeyValue) bool {
		return value(kv) != list.Selector.Value || a.take(kv)
	})
	return a.end()
}

// mostPerPage is how many objects a page of a delegated list with a selector
// grows to (etcd3's maxLimit).
const mostPerPage = 10000

// selection is a delegated list with a selector: etcd knows of no selectors, so
// it is asked page after page until enough objects were selected. It is never
// written to again: clones share it.
type selection struct {
	found []*wire.KeyValue
	// limit is that of the present page.
	limit int64
}

// selectFrom takes etcd's page (appendChunk). It returns what the list answers
// with and the last key that was looked at, or nil if it has asked for one more
// page: twice as long, because of the last one little was selected.
func (c *Cache) selectFrom(env *sim.Env, i int, p *wire.RangeResponse) (answer *wire.RangeResponse, lastKey string) {
	r := &c.reads[i]
	list := r.list
	s := selection{limit: max(list.Limit, 0)}
	if r.selection != nil {
		s = *r.selection
	}
	value := c.field(list.Selector).Value
	more := p.More
	for at, kv := range p.Kvs {
		lastKey = kv.Key
		if value(kv) != list.Selector.Value {
			continue
		}
		s.found = append(s.found, kv)
		if int64(len(s.found)) == list.Limit {
			more = more || at+1 < len(p.Kvs)
			return &wire.RangeResponse{Revision: p.Revision, Kvs: s.found, More: more}, lastKey
		}
	}
	if !more || lastKey == "" {
		return &wire.RangeResponse{Revision: p.Revision, Kvs: s.found, More: more}, lastKey
	}
	env.Cover(selectionGoesOn)
	if r.exact == 0 {
		// What comes is of the revision of what there is.
		r.exact = p.Revision
	}
	s.limit = min(2*s.limit, max(mostPerPage, s.limit))
	prefix := store.PreparePrefix(list.Prefix)
	s.found = slices.Clip(s.found)
	r.selection = &s
	traffic.Asked(env, r.operation())
	r.call = env.Call(c.cfg.KV, &wire.RangeRequest{Key: lastKey + "\x00", RangeEnd: store.RangeEnd(prefix), Limit: s.limit, Revision: r.exact})
	return nil, ""
}

func (s *selection) fingerprint(d sim.Digest) sim.Digest {
	if s == nil {
		return d
	}
	d = d.Int(s.limit).Int(int64(len(s.found)))
	for _, kv := range s.found {
		d = d.Text(kv.Key).Int(kv.ModRevision)
	}
	return d
}

// Selectors.
var (
	listByIndex     = sim.NewSituation("cache: list by a field index")
	listFiltered    = sim.NewSituation("cache: list filtered object by object")
	selectionGoesOn = sim.NewSituation("cache: delegated list asks for another page to select from")
)
