package informer

import (
	"strconv"

	"github.com/watchbed/watchbed/sim/shown"
	"github.com/watchbed/watchbed/sim/wire"
)

// apply is store.Add, Update or Delete.
func apply(store *objects, e *wire.WatchEvent) {
	switch e.Type {
	case wire.Added, wire.Modified:
		store.Put(e.Item)
	case wire.Deleted:
		store.Delete(e.Item)
	}
}

// all are the objects of a store, in key order.
func all(store *objects) []*wire.KeyValue {
	list := make([]*wire.KeyValue, 0, store.Len())
	store.Ascend(func(kv *wire.KeyValue) bool {
		list = append(list, kv)
		return true
	})
	return list
}

// Show implements shown.Node.
func (r *Informer) Show(visit shown.Visitor) {
	var version []shown.Entry
	if last := r.version.Value().last; last != wire.Unset {
		version = append(version, shown.Revision(last))
	}
	visit("resourceVersion", version...)
	var list []shown.Entry
	r.Ascend(func(kv *wire.KeyValue) bool {
		text := kv.Key[len(r.cfg.Prefix):] + "=" + kv.Value + " of " + strconv.FormatInt(kv.ModRevision, 10)
		list = append(list, shown.Entry{Text: text, First: kv.ModRevision, Last: kv.ModRevision})
		return true
	})
	visit("store", list...)
}
