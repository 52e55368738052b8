package mvcc

import (
	"cmp"
	"slices"

	"github.com/watchbed/watchbed/sim/wire"
)

// pick leaves those of the versions that a Range asks for, in the order in which it asks
// for them: filterRangeResults and sortRangeResults. Upstream's sort says nothing about
// the order of equal ones; of less than twelve it is stable.
func pick(r *wire.RangeRequest, found []*version) []*version {
	kept := slices.DeleteFunc(found, func(v *version) bool {
		return r.MaxModRevision != 0 && v.kv.ModRevision > r.MaxModRevision ||
			v.kv.ModRevision < r.MinModRevision ||
			r.MaxCreateRevision != 0 && v.kv.CreateRevision > r.MaxCreateRevision ||
			v.kv.CreateRevision < r.MinCreateRevision
	})
	if r.SortOrder == wire.SortNone {
		return kept
	}
	slices.SortStableFunc(kept, func(a, b *version) int {
		if r.SortOrder == wire.SortDescend {
			a, b = b, a
		}
		return orders[r.SortTarget](&a.kv, &b.kv)
	})
	return kept
}

var orders = [...]func(a, b *wire.KeyValue) int{
	wire.SortByKey:     func(a, b *wire.KeyValue) int { return cmp.Compare(a.Key, b.Key) },
	wire.SortByVersion: func(a, b *wire.KeyValue) int { return cmp.Compare(a.Version, b.Version) },
	wire.SortByCreate:  func(a, b *wire.KeyValue) int { return cmp.Compare(a.CreateRevision, b.CreateRevision) },
	wire.SortByMod:     func(a, b *wire.KeyValue) int { return cmp.Compare(a.ModRevision, b.ModRevision) },
	wire.SortByValue:   func(a, b *wire.KeyValue) int { return cmp.Compare(a.Value, b.Value) },
}
