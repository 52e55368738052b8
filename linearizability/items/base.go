package items

import (
	"cmp"
	"slices"

	"github.com/watchbed/watchbed/model"
)

// Base are the items that histories begin with: made once for all histories that
// begin with the same ones. It never changes.
type Base struct {
	given    []*model.Item
	contents Contents
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
	if len(items) < cmp.Or(b.Least, leastBase) {
		return nil
	}
	if b.last == nil || !slices.Equal(b.last.given, items) {
		b.last = newBase(items)
	}
	return b.last
}

func newBase(given []*model.Item) *Base {
	b := &Base{given: slices.Clone(given), contents: Contents{Persistent: true}}
	b.contents.Reset(given, nil)
	return b
}

// Plain has the same items without revisions.
func (b *Base) Plain() *Base {
	if b.plain == nil {
		b.plain = newBase(Plain(b.given))
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
	return b.contents.Get(key)
}
