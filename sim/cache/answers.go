package cache

import (
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// answers makes responses. A response is immutable and lives as long as
// somebody keeps it, so its memory is never used twice; but it is taken from
// blocks, because a campaign answers millions.
type answers struct {
	lists []wire.ListResponse
	gets  []wire.GetResponse
	items []*wire.KeyValue

	// The state of collect, and the callback, made once per cache instead of
	// once per list.
	limit int64
	start int
	more  bool
	take  func(*wire.KeyValue) bool
}

const (
	responseBlock = 64
	itemBlock     = 512
)

func (a *answers) list(rv int64, items []*wire.KeyValue, token string, o wire.Origin) *wire.ListResponse {
	if len(items) > itemBlock {
		// In a block it would keep its neighbours' items, and they its own.
		return &wire.ListResponse{ResourceVersion: rv, Items: items, Continue: token, Origin: o}
	}
	if len(a.lists) == cap(a.lists) {
		a.lists = make([]wire.ListResponse, 0, responseBlock)
	}
	a.lists = append(a.lists, wire.ListResponse{ResourceVersion: rv, Items: items, Continue: token, Origin: o})
	return &a.lists[len(a.lists)-1]
}

func (a *answers) get(item *wire.KeyValue, o wire.Origin) *wire.GetResponse {
	if len(a.gets) == cap(a.gets) {
		a.gets = make([]wire.GetResponse, 0, responseBlock)
	}
	a.gets = append(a.gets, wire.GetResponse{Item: item, Origin: o})
	return &a.gets[len(a.gets)-1]
}

// collect lists the objects of a state under a prefix from a key on, at most
// limit of them unless that is 0, and reports whether there are more.
func (a *answers) collect(view *store.View, prefix, start string, limit int64) ([]*wire.KeyValue, bool) {
	room := view.Len()
	if limit > 0 {
		room = min(room, int(limit))
	}
	a.begin(room, limit)
	view.Ascend(prefix, start, a.take)
	return a.end()
}

// begin begins a list that will probably have room objects.
func (a *answers) begin(room int, limit int64) {
	if cap(a.items)-len(a.items) < room {
		a.items = make([]*wire.KeyValue, 0, max(room, itemBlock))
	}
	if a.take == nil {
		a.take = a.takeItem
	}
	a.limit, a.start, a.more = limit, len(a.items), false
}

func (a *answers) end() ([]*wire.KeyValue, bool) {
	return a.items[a.start:len(a.items):len(a.items)], a.more
}

func (a *answers) takeItem(kv *wire.KeyValue) bool {
	if a.limit > 0 && int64(len(a.items)-a.start) == a.limit {
		a.more = true
		return false
	}
	if len(a.items) == cap(a.items) {
		// Only this list moves on: the lists before it in the block stay there.
		own := a.items[a.start:]
		a.items = append(make([]*wire.KeyValue, 0, max(2*len(own), itemBlock)), own...)
		a.start = 0
	}
	a.items = append(a.items, kv)
	return true
}
