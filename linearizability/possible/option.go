package possible

import (
	"slices"

	"github.com/watchbed/watchbed/linearizability/items"
	"github.com/watchbed/watchbed/model"
)

// option is one thing that a key may be: an item, or nothing if item is nil.
type option struct {
	item *model.Item
	// anyNumbers: the create revision, the version and the lease of a whole item depend on what
	// the key was before. anyValue and anyLease: so do these.
	anyNumbers, anyValue, anyLease bool
}

var absent = option{}

// shows reports whether an answer may show this for a key.
func (o option) shows(shown *model.Item, keysOnly bool) bool {
	if o.item == nil {
		return false
	}
	it := *o.item
	if o.anyNumbers {
		it.CreateRevision, it.Version = shown.CreateRevision, shown.Version
	}
	if o.anyValue && !keysOnly {
		it.Value = shown.Value
	}
	if o.anyLease {
		it.Lease = shown.Lease
	}
	return items.Shows(shown, &it, keysOnly)
}

// isExact reports whether everything about it is known.
func (o option) isExact() bool { return !o.anyNumbers && !o.anyValue && !o.anyLease }

// mayBeOn reports whether it may be attached to a lease.
func (o option) mayBeOn(lease int64) bool {
	return o.item != nil && (o.anyLease || o.item.Lease == lease)
}

func (o option) equal(p option) bool {
	if o.item == nil || p.item == nil {
		return o.item == p.item
	}
	return *o.item == *p.item && o.anyNumbers == p.anyNumbers && o.anyValue == p.anyValue && o.anyLease == p.anyLease
}

func has(all []option, o option) bool { return slices.ContainsFunc(all, o.equal) }

// put is the option of a key after a put at a revision. Before the put the key was one of
// some options, or anything if wild. The result is false if the put is refused.
func put(r *model.Request, rev int64, before []option, wild bool) (option, bool) {
	it := model.Item{Key: r.Key, Value: r.Value, Lease: r.Lease, ModRevision: rev}
	after := option{item: &it, anyNumbers: wild, anyValue: wild && r.IgnoreValue, anyLease: wild && r.IgnoreLease}
	first := true
	for _, o := range before {
		create, version, value, lease := rev, int64(1), r.Value, r.Lease
		if o.item == nil {
			if r.IgnoreValue || r.IgnoreLease {
				continue
			}
		} else {
			create, version = o.item.CreateRevision, o.item.Version+1
			if r.IgnoreValue {
				value = o.item.Value
			}
			if r.IgnoreLease {
				lease = o.item.Lease
			}
			after.anyNumbers = after.anyNumbers || o.anyNumbers
			after.anyValue = after.anyValue || r.IgnoreValue && o.anyValue
			after.anyLease = after.anyLease || r.IgnoreLease && o.anyLease
		}
		if first {
			it.CreateRevision, it.Version, it.Value, it.Lease = create, version, value, lease
			first = false
			continue
		}
		after.anyNumbers = after.anyNumbers || it.CreateRevision != create || it.Version != version
		after.anyValue = after.anyValue || it.Value != value
		after.anyLease = after.anyLease || it.Lease != lease
	}
	return after, !first || wild
}
