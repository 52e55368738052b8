package read

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/cache/traffic"
	"github.com/watchbed/watchbed/sim/wire"
)

// collect lists the objects that a list is about: those under a prefix from a
// key on that its selector selects, at most limit of them unless that is 0. It
// reports whether there are more, and how many if there is no selector.
func (r *Read) collect(env *sim.Env, view *store.View, prefix, start string, limit int64) (items []*wire.KeyValue, more bool, remaining int64) {
	if r.list.Selector.Empty() {
		items, remaining = r.d.responses.Collect(view, prefix, start, limit)
		env.Add(fetchedAll, int64(len(items))+remaining)
		return items, remaining > 0, remaining
	}
	responses, selector := &r.d.responses, r.list.Selector
	fields, take := r.d.cfg.Fields, responses.Begin(0, limit)
	looked := int64(0)
	labelled := func(kv *wire.KeyValue) bool {
		looked++
		return !fields.SelectsLabel(selector, kv) || take(kv)
	}
	if view.AscendIndexed(selector.Field, selector.Value, prefix, start, labelled) {
		env.Cover(listByIndex)
		env.Add(fetchedByIndex, looked)
		items, more = responses.End()
		return items, more, 0
	}
	env.Cover(listFiltered)
	view.Ascend(prefix, start, func(kv *wire.KeyValue) bool {
		looked++
		return !fields.Selects(selector, kv) || take(kv)
	})
	env.Add(fetchedAll, looked)
	items, more = responses.End()
	return items, more, 0
}

// maxPerPage is how many objects a page of a delegated list with a selector
// grows to (etcd3's maxLimit).
const maxPerPage = 10000

// selection is a delegated list with a selector: etcd knows of no selectors, so
// it is asked page after page until enough objects were selected. It is never
// written to again: clones share it.
type selection struct {
	found []*wire.KeyValue
	// limit is that of the present page, next the key at which it begins (continueKey of
	// pagedChunks).
	limit int64
	next  string
}

// selectFrom takes etcd's page (appendChunk). It returns what the list answers
// with and the last key that was looked at, or nil if it has asked for one more
// page: twice as long, because of the last one little was selected.
func (r *Read) selectFrom(env *sim.Env, p *wire.RangeResponse) (answer *wire.RangeResponse, lastKey string) {
	list := r.list
	s := selection{limit: max(list.Limit, 0)}
	if r.selection != nil {
		s = *r.selection
	}
	more := p.More
	for at, kv := range p.Kvs {
		lastKey = kv.Key
		if !r.d.cfg.Fields.Selects(list.Selector, kv) {
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
	s.limit = min(2*s.limit, max(maxPerPage, s.limit))
	s.next = lastKey + "\x00"
	prefix := store.PreparePrefix(list.Prefix)
	s.found = slices.Clip(s.found)
	r.selection = &s
	traffic.Asked(env, r.operation())
	r.call = env.Call(r.d.cfg.KV, &wire.RangeRequest{Key: s.next, RangeEnd: store.RangeEnd(prefix), Limit: s.limit, Revision: r.exact})
	return nil, ""
}

func (s *selection) fingerprint(d sim.Digest) sim.Digest {
	if s == nil {
		return d
	}
	d = d.Int(s.limit).Int(int64(len(s.found))).Text(s.next)
	for _, kv := range s.found {
		d = d.Text(kv.Key).Int(kv.ModRevision)
	}
	return d
}
