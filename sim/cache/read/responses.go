package read

import (
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// responses makes the answers to LIST and GET. A response never changes and lives as long as its
// client keeps it, so its memory is never used twice; but it is taken from blocks,
// because a campaign makes millions.
type responses struct {
	lists []wire.ListResponse
	gets  []wire.GetResponse
	items []*wire.KeyValue

	// The state of a list, and the callback, made once per cache instead of
	// once per list.
	limit int64
	start int
	take  func(*wire.KeyValue) bool
	// after is how many objects came when limit were taken; ends: one is enough.
	after int64
	ends  bool
}

const (
	responseBlock = 64
	itemBlock     = 512
)

// list makes the answer to a LIST.
func (m *responses) list(answer wire.ListResponse) *wire.ListResponse {
	if len(answer.Items) > itemBlock {
		// In a block it would keep its neighbours' items, and they its own.
		one := answer
		return &one
	}
	if len(m.lists) == cap(m.lists) {
		m.lists = make([]wire.ListResponse, 0, responseBlock)
	}
	m.lists = append(m.lists, answer)
	return &m.lists[len(m.lists)-1]
}

// get makes the answer to a GET from a state of a resourceVersion; item is nil if that has no
// such object.
func (m *responses) get(item *wire.KeyValue, resourceVersion int64, o wire.Origin) *wire.GetResponse {
	if len(m.gets) == cap(m.gets) {
		m.gets = make([]wire.GetResponse, 0, responseBlock)
	}
	answer := wire.GetResponse{Item: item, Origin: o}
	if item == nil {
		answer.ResourceVersion = resourceVersion
	}
	m.gets = append(m.gets, answer)
	return &m.gets[len(m.gets)-1]
}

// collect lists the objects of a state under a prefix from a key on, at most
// limit of them unless that is 0, and counts those that remain.
func (m *responses) collect(view *store.View, prefix, start string, limit int64) (items []*wire.KeyValue, remaining int64) {
	room := view.Len()
	if limit > 0 {
		room = min(room, int(limit))
	}
	take := m.begin(room)
	m.limit, m.ends = limit, view.Counts()
	view.Ascend(prefix, start, take)
	if m.ends && m.after > 0 {
		m.after = int64(view.Count(prefix, start)) - limit
	}
	return m.end(), m.after
}

// keys are the objects without their values. They share no memory with others that live
// longer.
func (m *responses) keys(items []*wire.KeyValue) []*wire.KeyValue {
	bare, all := make([]wire.KeyValue, len(items)), make([]*wire.KeyValue, len(items))
	for i, kv := range items {
		bare[i] = *kv
		bare[i].Value = ""
		all[i] = &bare[i]
	}
	return all
}

// begin begins a list that will probably have room objects. It returns the function that
// takes them one by one, and returns true.
func (m *responses) begin(room int) (take func(*wire.KeyValue) bool) {
	if cap(m.items)-len(m.items) < room {
		m.items = make([]*wire.KeyValue, 0, max(room, itemBlock))
	}
	if m.take == nil {
		m.take = m.takeObject
	}
	m.limit, m.start, m.after, m.ends = 0, len(m.items), 0, false
	return m.take
}

// end returns what was taken.
func (m *responses) end() []*wire.KeyValue { return m.items[m.start:len(m.items):len(m.items)] }

func (m *responses) takeObject(kv *wire.KeyValue) bool {
	if m.limit > 0 && int64(len(m.items)-m.start) == m.limit {
		m.after++
		return !m.ends
	}
	if len(m.items) == cap(m.items) {
		// Only this list moves on: the lists before it in the block stay there.
		own := m.items[m.start:]
		m.items = append(make([]*wire.KeyValue, 0, max(2*len(own), itemBlock)), own...)
		m.start = 0
	}
	m.items = append(m.items, kv)
	return true
}
