package informer

import (
	"strconv"

	"github.com/google/btree"

	"github.com/watchbed/watchbed/sim/shown"
	"github.com/watchbed/watchbed/sim/wire"
)

// degree of the tree, the same as that of the cache's store. client-go has a map,
// whose order has no meaning.
const degree = 16

func newStore() *btree.BTreeG[*wire.KeyValue] {
	return btree.NewG(degree, func(a, b *wire.KeyValue) bool { return a.Key < b.Key })
}

// apply is store.Add, Update or Delete.
func apply(store *btree.BTreeG[*wire.KeyValue], e *wire.WatchEvent) {
	switch e.Type {
	case wire.Added, wire.Modified:
		store.ReplaceOrInsert(e.Item)
	case wire.Deleted:
		store.Delete(e.Item)
	}
}

// all are the objects of a store, in key order.
func all(store *btree.BTreeG[*wire.KeyValue]) []*wire.KeyValue {
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
	if r.version.last != wire.Unset {
		version = append(version, shown.Revision(r.version.last))
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
