package informer

import (
	"github.com/google/btree"

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
