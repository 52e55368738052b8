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
