// Package items (unstable) is the judges' view of a store: its items, what a write
// makes of them, and whether an answer agrees with them. Contents is all of it; a Base are the
// items that many histories begin with.
//
// It knows package model only, and must never import the judges that use it: a history, its
// order and its clients are theirs.
package items

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/model"
)

// Base are the items that histories begin with, by key: made once for all histories that
// begin with the same ones. It never changes.
type Base struct {
	given, items []*model.Item
	digest       uint64
	// attached are the keys on each lease.
	attached map[int64][]string
	// plain are the same items without revisions, nil before they were asked for.
	plain *Base
}

// Bases keeps the base of the last history.
type Bases struct {
	last *Base
	// Least is the number of items from which on there is a base; 0 stands for leastBase.
	Least int
}

// leastBase is about where comparing the items with those of a base takes as long as setting
// each of them.
const leastBase = 32

// Of is the base of these items, nil if they are few. Neither they nor what they are may
// change later; the slice may.
func (b *Bases) Of(items []*model.Item) *Base {
	least := b.Least
	if least == 0 {
		least = leastBase
	}
	if len(items) < least {
		return nil
	}
	if b.last == nil || !slices.Equal(b.last.given, items) {
		b.last = newBase(items)
	}
	return b.last
}

func newBase(given []*model.Item) *Base {
	b := &Base{given: slices.Clone(given), items: slices.Clone(given), attached: map[int64][]string{}}
	slices.SortStableFunc(b.items, func(x, y *model.Item) int { return strings.Compare(x.Key, y.Key) })
	// Of several items of one key, the last one counts.
	last := b.items[:0]
	for i, it := range b.items {
		if i+1 == len(b.items) || b.items[i+1].Key != it.Key {
			last = append(last, it)
			b.digest += it.Digest()
			if it.Lease != 0 {
				b.attached[it.Lease] = append(b.attached[it.Lease], it.Key)
			}
		}
	}
	b.items = last
	return b
}

// Plain has the same items without revisions.
func (b *Base) Plain() *Base {
	if b.plain == nil {
		b.plain = newBase(Plain(b.items))
	}
	return b.plain
}

// Plain are the same items without revisions.
func Plain(items []*model.Item) []*model.Item {
	var plain []*model.Item
	for _, it := range items {
		plain = append(plain, &model.Item{Key: it.Key, Value: it.Value, CreateRevision: 1, ModRevision: 1, Version: 1})
	}
	return plain
}

// Get returns the item of a key, nil if there is none.
func (b *Base) Get(key string) *model.Item {
	if b == nil {
		return nil
	}
	if i := search(b.items, key); i < len(b.items) && b.items[i].Key == key {
		return b.items[i]
	}
	return nil
}

// between are the items of etcd's range [key, end). The caller must not change them.
func (b *Base) between(key, end string) []*model.Item {
	from := search(b.items, key)
	to := len(b.items)
	switch {
	case end == "":
		if to = from; from < len(b.items) && b.items[from].Key == key {
			to++
		}
	case end != "\x00":
		to = max(from, search(b.items, end))
	}
	return b.items[from:to:to]
}

// Arena hands out items that live until the next reset.
type Arena struct{ block []model.Item }

// Reset takes all items back.
func (a *Arena) Reset() { a.block = a.block[:0] }

func (a *Arena) item() *model.Item {
	if len(a.block) == cap(a.block) {
		// Items handed out before stay in their old block.
		a.block = make([]model.Item, 0, min(max(16, 2*cap(a.block)), 1<<14))
	}
	a.block = a.block[:len(a.block)+1]
	return &a.block[len(a.block)-1]
}

// RangeEnd is the end of the range that a read or delete covers.
func RangeEnd(r *model.Request) string {
	if r.Kind == model.Get {
		return ""
	}
	return r.End
}

// Answers reports whether a Get or a List, its revision aside, is what a store answers that
// has these contents. An answer that shows a few of many items is judged without a look at
// the others.
func (c *Contents) Answers(r *model.Request, res *model.Result, scratch *[]*model.Item) bool {
	if c.base != nil && (r.CountOnly || r.Limit > 0) && r.Selection == (model.Selection{}) {
		have, total := c.first(int(r.Limit), r.Key, RangeEnd(r), scratch)
		return answersFirst(have, total, r, res)
	}
	return answers(c.Between(r.Key, RangeEnd(r), scratch), r, res)
}

// answers is Contents.Answers for the items in the range.
func answers(have []*model.Item, r *model.Request, res *model.Result) bool {
	return answersFirst(have, len(have), r, res)
}

// answersFirst is answers for a range with so many items in all, of which those after the
// limit may be left out if there is no Selection.
func answersFirst(have []*model.Item, total int, r *model.Request, res *model.Result) bool {
	if r.CountOnly {
		return res.Count == int64(total) && len(res.Items) == 0 && !res.More
	}
	all := have
	have = r.Selection.Of(all)
	r.Selection.Align(have, res.Items)
	fit := len(have)
	if len(all) < total {
		fit = total
	}
	more := r.Limit > 0 && int64(fit) > r.Limit
	mayBeMore := false
	if r.Selection.Values != (model.ValuePattern{}) {
		total = len(have)
		// A server that reads on until it has selected enough items does not know
		// whether it would select one more: it looks whether it has come to the end.
		if r.Limit > 0 && int64(total) == r.Limit {
			goesOn := have[total-1] != all[len(all)-1]
			mayBeMore = goesOn && !r.Selection.MoreOfAll
			more = goesOn
		}
	}
	if more && int64(len(have)) > r.Limit {
		have = have[:r.Limit]
	}
	if len(res.Items) != len(have) || res.More != more && !mayBeMore {
		return false
	}
	// Kubernetes does not say how many items a selector would select after a page, and
	// a recorded history may leave the number out.
	if res.Count != int64(total) && !(more && !res.Counted && res.Count == int64(len(have))) {
		return false
	}
	for i, it := range have {
		if !Shows(res.Items[i], it, r.KeysOnly) {
			return false
		}
	}
	return true
}

// Shows reports whether an answered item is the stored one. A Kubernetes object
// has the revision of its last change, but neither that of its creation nor the
// number of its changes, and a register has a value only: revisions are compared
// only if the answer has them.
func Shows(shown, stored *model.Item, keysOnly bool) bool {
	value := stored.Value
	if keysOnly {
		value = ""
	}
	return shown.Key == stored.Key && shown.Value == value &&
		(shown.ModRevision == 0 || shown.ModRevision == stored.ModRevision) &&
		(shown.CreateRevision == 0 || shown.CreateRevision == stored.CreateRevision) &&
		(shown.Version == 0 || shown.Version == stored.Version) &&
		shown.FitsLease(stored)
}
