package model

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
)

// SortTarget is the field that a List sorts by.
type SortTarget uint8

// The fields that etcd sorts by. It may list items with the same value in any order (Align).
const (
	ByKey SortTarget = iota
	ByVersion
	ByCreate
	ByMod
	ByValue
)

// Selection is which of the items in its range a List has, and in which order. 0 is no
// bound.
type Selection struct {
	SortBy     SortTarget
	Descending bool
	// MinMod and MaxMod bound the revision of the last change, MinCreate and MaxCreate
	// that of the creation.
	MinMod, MaxMod, MinCreate, MaxCreate int64
	// Values is what the values of the items look like: a selector of Kubernetes, of which
	// etcd knows nothing. Items that it leaves out are not counted.
	Values ValuePattern
	// MoreOfAll: a page that its Limit ends says that there is more if any item of the
	// range follows, whether Values fits it or not. If it is not set, either answer is
	// right where no item follows that Values fits.
	MoreOfAll bool
}

// ValuePattern is how values begin and end: a field selector and a label selector; and a shard. The
// zero value is any value of any item.
type ValuePattern struct {
	Prefix, Suffix string
	// Shard is which of the items have a value of the pattern.
	Shard Shard
	// None: no value is of the pattern.
	None bool
}

// Fits reports whether an item has a value of the pattern.
func (p ValuePattern) Fits(it *Item) bool {
	return !p.None && strings.HasPrefix(it.Value, p.Prefix) && strings.HasSuffix(it.Value, p.Suffix) && p.Shard.has(it)
}

// Shard is the items with a hash from From on and below To, which is 0 for the end of all hashes: the FNV-1a hash of
// what stands before the first dot of the value, or, without ByValue, of the revision at which the item was created,
// with its key. The zero value is all items.
type Shard struct {
	ByValue  bool
	From, To uint64
}

func (s Shard) has(it *Item) bool {
	if s == (Shard{}) {
		return true
	}
	h := fnv.New64a()
	if before, _, _ := strings.Cut(it.Value, "."); s.ByValue {
		h.Write([]byte(before))
	} else {
		h.Write(strconv.AppendInt(nil, it.CreateRevision, 10))
		h.Write([]byte(it.Key))
	}
	sum := h.Sum64()
	return sum >= s.From && (s.To == 0 || sum < s.To)
}

// And is the pattern of the values that two patterns fit, of which one has a shard at most.
func (p ValuePattern) And(q ValuePattern) ValuePattern {
	if len(p.Prefix) < len(q.Prefix) {
		p.Prefix, q.Prefix = q.Prefix, p.Prefix
	}
	if len(p.Suffix) < len(q.Suffix) {
		p.Suffix, q.Suffix = q.Suffix, p.Suffix
	}
	if p.Shard == (Shard{}) {
		p.Shard = q.Shard
	}
	p.None = p.None || q.None || !strings.HasPrefix(p.Prefix, q.Prefix) || !strings.HasSuffix(p.Suffix, q.Suffix)
	return p
}

// Of are the selected items of a list that is in the order of the keys. It does not
// change the list.
func (s *Selection) Of(items []*Item) []*Item {
	if *s == (Selection{}) {
		return items
	}
	kept := make([]*Item, 0, len(items))
	for _, it := range items {
		if within(it.ModRevision, s.MinMod, s.MaxMod) && within(it.CreateRevision, s.MinCreate, s.MaxCreate) && s.Values.Fits(it) {
			kept = append(kept, it)
		}
	}
	slices.SortStableFunc(kept, s.compare)
	return kept
}

// Align gives items of Of with the same value the order in which an answer shows them.
func (s *Selection) Align(items, shown []*Item) {
	if s.SortBy == ByKey {
		return
	}
	for i, like := range shown {
		for j := i; j < len(items) && s.compare(items[i], items[j]) == 0; j++ {
			if items[j].Key == like.Key {
				items[i], items[j] = items[j], items[i]
				break
			}
		}
	}
}

func within(rev, least, most int64) bool { return rev >= least && (most == 0 || rev <= most) }

func (s *Selection) compare(a, b *Item) int {
	if s.Descending {
		a, b = b, a
	}
	switch s.SortBy {
	case ByVersion:
		return cmp.Compare(a.Version, b.Version)
	case ByCreate:
		return cmp.Compare(a.CreateRevision, b.CreateRevision)
	case ByMod:
		return cmp.Compare(a.ModRevision, b.ModRevision)
	case ByValue:
		return cmp.Compare(a.Value, b.Value)
	}
	return cmp.Compare(a.Key, b.Key)
}
