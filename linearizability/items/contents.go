package items

import (
	"math"
	"slices"

	"github.com/watchbed/watchbed/model"
)

// Contents are the items of a store in key order, in chunks: small enough that
// inserting moves little, and that a branching search shares all of them but
// the one it changes.
//
// It exists beside model.Store because judging must be cheap enough to do after
// every schedule: with a handful of keys it is one sorted slice, reused from one
// history to the next. A test ties its answers to those of model.Store.
type Contents struct {
	chunks [][]*model.Item
	// base are the many items that the contents began with, nil if they were few.
	base *Base
	// Arena has the items that writes make.
	Arena *Arena
	// Persistent makes changes copy the chunk that they touch, so that clones
	// keep theirs.
	Persistent bool
	// digest is the sum of the digests of all items, kept only if Persistent:
	// only persistent contents are compared with each other.
	digest uint64
	// Plain contents know no revisions: each item is at 1, and counts as written once.
	Plain bool
	// Observe, if set, is called before every change; nil is a deletion.
	Observe func(key string, it *model.Item)
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

// ChunkItems is how many items a chunk has at most.
const ChunkItems = 64

// Reset starts again at the given items, keeping the memory. The base is that of the items,
// nil if it has none.
func (c *Contents) Reset(init []*model.Item, b *Base) {
	switch {
	case b != nil:
		c.chunks, c.digest, c.base = append(c.chunks[:0:0], b.contents.chunks...), b.contents.digest, b
		return
	case c.shares() || len(c.chunks) > 1:
		c.chunks = nil
	case len(c.chunks) == 1:
		c.chunks[0] = c.chunks[0][:0]
	}
	c.digest, c.base = 0, nil
	for _, it := range init {
		c.Set(it)
	}
}

// shares reports whether others may have the same chunks: clones, or the base.
func (c *Contents) shares() bool { return c.Persistent || c.base != nil }

// Clone is only for persistent contents.
func (c *Contents) Clone() Contents {
	d := *c
	d.chunks = append(make([][]*model.Item, 0, len(c.chunks)+1), c.chunks...)
	return d
}

// chunk is the index of the only chunk that can hold the key.
func (c *Contents) chunk(key string) int {
	lo, hi := 0, len(c.chunks)
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		if c.chunks[mid][0].Key <= key {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// search is the index of the first item whose key is not less.
func search(items []*model.Item, key string) int {
	lo, hi := 0, len(items)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if items[mid].Key < key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// Get returns the item of a key, nil if there is none.
func (c *Contents) Get(key string) *model.Item {
	if len(c.chunks) == 0 {
		return nil
	}
	items := c.chunks[c.chunk(key)]
	if i := search(items, key); i < len(items) && items[i].Key == key {
		return items[i]
	}
	return nil
}

// Untouched reports whether a key is still what the base has. It is false where there is no base.
func (c *Contents) Untouched(key string) bool { return c.base != nil && c.Get(key) == c.base.Get(key) }

// Set puts an item under its key.
func (c *Contents) Set(it *model.Item) {
	if c.Observe != nil {
		c.Observe(it.Key, it)
	}
	if c.Persistent {
		c.digest += it.Digest()
	}
	if len(c.chunks) == 0 {
		c.chunks = append(c.chunks, append(make([]*model.Item, 0, 8), it))
		return
	}
	at := c.chunk(it.Key)
	items := c.chunks[at]
	i := search(items, it.Key)
	if c.shares() {
		items = append(make([]*model.Item, 0, len(items)+1), items...)
	}
	if i < len(items) && items[i].Key == it.Key {
		if c.Persistent {
			c.digest -= items[i].Digest()
		}
		items[i] = it
		c.chunks[at] = items
		return
	}
	items = append(items, nil)
	copy(items[i+1:], items[i:])
	items[i] = it
	c.chunks[at] = items
	if half := len(items) / 2; len(items) > ChunkItems {
		right := append(make([]*model.Item, 0, ChunkItems+1), items[half:]...)
		c.chunks[at] = items[:half]
		c.chunks = slices.Insert(c.chunks, at+1, right)
	}
}

// Remove deletes a key, and reports whether it was there.
func (c *Contents) Remove(key string) bool {
	if len(c.chunks) == 0 {
		return false
	}
	at := c.chunk(key)
	items := c.chunks[at]
	i := search(items, key)
	if i == len(items) || items[i].Key != key {
		return false
	}
	if c.Observe != nil {
		c.Observe(key, nil)
	}
	if c.Persistent {
		c.digest -= items[i].Digest()
	}
	if c.shares() {
		items = append(make([]*model.Item, 0, len(items)), items...)
	}
	items = append(items[:i], items[i+1:]...)
	c.chunks[at] = items
	if len(items) == 0 && len(c.chunks) > 1 {
		c.chunks = append(c.chunks[:at], c.chunks[at+1:]...)
	}
	return true
}

// Between returns the items of etcd's range [key, end). They are valid until
// the next change; scratch holds them where they are not in one place.
func (c *Contents) Between(key, end string, scratch *[]*model.Item) []*model.Item {
	items, _ := c.first(math.MaxInt, key, end, scratch)
	return items
}

// first are the first items of a range, at least as many as asked for if there are so many,
// and how many there are.
func (c *Contents) first(most int, key, end string, scratch *[]*model.Item) (items []*model.Item, total int) {
	if len(c.chunks) == 0 {
		return nil, 0
	}
	at := c.chunk(key)
	items = c.chunks[at]
	from := search(items, key)
	if end == "" {
		if from < len(items) && items[from].Key == key {
			return items[from : from+1], 1
		}
		return nil, 0
	}
	to := len(items)
	if end != "\x00" {
		to = max(from, search(items, end))
	}
	if to < len(items) || at+1 == len(c.chunks) {
		return items[from:to], to - from
	}
	out := append((*scratch)[:0], items[from:]...)
	total = len(out)
	for _, items := range c.chunks[at+1:] {
		if to = len(items); end != "\x00" {
			to = search(items, end)
		}
		total += to
		if len(out) < most {
			out = append(out, items[:to]...)
		}
		if to < len(items) {
			break
		}
	}
	*scratch = out
	return out, total
}

// Digest is the same for equal contents that are persistent.
func (c *Contents) Digest() uint64 { return c.digest }

// Equal compares persistent contents.
func (c *Contents) Equal(other *Contents) bool {
	if c.digest != other.digest {
		return false
	}
	a, b := c.chunks, other.chunks
	// i and j are how many items of the first chunks were compared.
	for i, j := 0, 0; ; i, j = i+1, j+1 {
		for len(a) > 0 && i == len(a[0]) {
			a, i = a[1:], 0
		}
		for len(b) > 0 && j == len(b[0]) {
			b, j = b[1:], 0
		}
		switch {
		case len(a) == 0 || len(b) == 0:
			return len(a) == len(b)
		case i == 0 && j == 0 && len(a[0]) == len(b[0]) && &a[0][0] == &b[0][0]:
			// They share the chunk.
			i, j = len(a[0])-1, len(b[0])-1
		case a[0][i] != b[0][j] && *a[0][i] != *b[0][j]:
			return false
		}
	}
}
