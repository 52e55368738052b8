package read

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/cache/traffic"
	"github.com/watchbed/watchbed/sim/wire"
)

// collect lists the objects that a list is about: those under a prefix from a key on that
// its selector selects, at most limit of them unless that is 0.
func (r *Read) collect(env *sim.Env, view *store.View, prefix, start string, limit int64) Page {
	page := Page{ResourceVersion: view.ResourceVersion, Prefix: prefix}
	if r.list.Selector.Empty() {
		page.Items, page.Remaining = r.d.responses.collect(view, prefix, start, limit)
		page.More = page.Remaining > 0
		env.Add(fetchedAll, int64(len(page.Items))+page.Remaining)
		return page
	}
	l := look{fields: r.d.cfg.Fields, selector: r.list.Selector, limit: limit, take: r.d.responses.begin(0)}
	// Behind a page upstream looks into no index: it would not know where to begin
	// (waitUntilFreshAndList).
	if start == "" {
		l.field, l.value = view.IndexFor(l.selector)
	}
	if l.field != "" {
		view.AscendIndexed(l.field, l.value, prefix, start, l.at)
		env.Cover(listByIndex)
		env.Add(fetchedByIndex, l.looked)
	} else {
		env.Cover(listFiltered)
		view.Ascend(prefix, start, l.at)
		env.Add(fetchedAll, l.looked)
	}
	page.Items = r.d.responses.end()
	page.More, page.Trailed = l.full() && l.trailed, l.trailed
	return page
}

// look goes through objects, of which a selector selects some.
type look struct {
	fields   store.Fields
	selector wire.Selector
	// field and value are what the index has already selected.
	field, value string
	limit        int64
	take         func(*wire.KeyValue) bool
	// taken and looked count objects. trailed: one came after the last that was taken.
	taken, looked int64
	trailed       bool
}

func (l *look) full() bool { return l.limit > 0 && l.taken == l.limit }

// at takes the object if it is selected. It returns false behind the first object that
// follows a full page: whether the selector selects that one, or any other, does not matter
// for the page's token (Cacher.GetList: hasMoreListItems).
func (l *look) at(kv *wire.KeyValue) bool {
	l.looked++
	if l.full() || !l.fields.SelectsWith(l.selector, kv, l.field, l.value) {
		l.trailed = true
		return !l.full()
	}
	l.taken, l.trailed = l.taken+1, false
	return l.take(kv)
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
