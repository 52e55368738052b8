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
	// base are the many items that the contents began with, nil if they were few. The chunks
	// hold only the differences from them then: each item that was set, and each removed item of
	// base as an item that isGone.
	base   *Base
	chunks [][]*model.Item
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
	// Observe, if set, is called for every change; nil is a deletion.
	Observe func(key string, it *model.Item)
}

// ChunkItems is how many items a chunk has at most.
const ChunkItems = 64

// Reset starts again at the given items, keeping the memory. The base is that of the items,
// nil if it has none.
func (c *Contents) Reset(init []*model.Item, b *Base) {
	if c.Persistent || len(c.chunks) > 1 {
		c.chunks = nil
	} else if len(c.chunks) == 1 {
		c.chunks[0] = c.chunks[0][:0]
	}
	c.base, c.digest = b, 0
	if b != nil {
		c.digest = b.digest
		return
	}
	for _, it := range init {
		c.Set(it)
	}
}

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
	it := c.inChunks(key)
	switch {
	case c.base == nil:
		return it
	case it == nil:
		return c.base.Get(key)
	case isGone(it):
		return nil
	}
	return it
}

// Untouched reports whether a key is still what the base has. It is false where there is no base.
func (c *Contents) Untouched(key string) bool { return c.base != nil && c.inChunks(key) == nil }

// inChunks is what the chunks have of a key, nil if that is nothing.
func (c *Contents) inChunks(key string) *model.Item {
	if len(c.chunks) == 0 {
		return nil
	}
	items := c.chunks[c.chunk(key)]
	if i := search(items, key); i < len(items) && items[i].Key == key {
		return items[i]
	}
	return nil
}

// Set puts an item under its key.
func (c *Contents) Set(it *model.Item) {
	if c.Persistent {
		c.digest += it.Digest()
		if c.base != nil {
			if old := c.Get(it.Key); old != nil {
				c.digest -= old.Digest()
			}
		}
	}
	if c.Observe != nil {
		c.Observe(it.Key, it)
	}
	c.place(it)
}

// place puts an item into the chunks.
func (c *Contents) place(it *model.Item) {
	if len(c.chunks) == 0 {
		c.chunks = append(c.chunks, append(make([]*model.Item, 0, 8), it))
		return
	}
	at := c.chunk(it.Key)
	items := c.chunks[at]
	i := search(items, it.Key)
	found := i < len(items) && items[i].Key == it.Key
	if found && c.Persistent && c.base == nil {
		c.digest -= items[i].Digest()
	}
	if c.Persistent {
		items = append(make([]*model.Item, 0, len(items)+1), items...)
	}
	if found {
		items[i] = it
		c.chunks[at] = items
		return
	}
	items = append(items, nil)
	copy(items[i+1:], items[i:])
	items[i] = it
	c.chunks[at] = items
	if len(items) > ChunkItems {
		c.split(at)
	}
}

func (c *Contents) split(at int) {
	items := c.chunks[at]
	half := len(items) / 2
	right := append(make([]*model.Item, 0, ChunkItems+1), items[half:]...)
	c.chunks = append(c.chunks, nil)
	copy(c.chunks[at+2:], c.chunks[at+1:])
	c.chunks[at], c.chunks[at+1] = items[:half], right
}

// Remove deletes a key, and reports whether it was there.
func (c *Contents) Remove(key string) bool {
	if c.base != nil {
		return c.removeMarked(key)
	}
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
	changed := c.betweenInChunks(key, end, scratch)
	if c.base == nil {
		return changed
	}
	have := c.base.between(key, end)
	if len(changed) == 0 {
		return have
	}
	*scratch = merge((*scratch)[:0], have, slices.Clone(changed), math.MaxInt)
	return *scratch
}

// betweenInChunks is Between for what the chunks have.
func (c *Contents) betweenInChunks(key, end string, scratch *[]*model.Item) []*model.Item {
	if len(c.chunks) == 0 {
		return nil
	}
	at := c.chunk(key)
	items := c.chunks[at]
	from := search(items, key)
	if end == "" {
		if from < len(items) && items[from].Key == key {
			return items[from : from+1]
		}
		return nil
	}
	to := len(items)
	if end != "\x00" {
		to = max(from, search(items, end))
	}
	if to < len(items) || at+1 == len(c.chunks) {
		return items[from:to]
	}
	out := append((*scratch)[:0], items[from:]...)
	for _, items := range c.chunks[at+1:] {
		if to = len(items); end != "\x00" {
			to = search(items, end)
		}
		out = append(out, items[:to]...)
		if to < len(items) {
			break
		}
	}
	*scratch = out
	return out
}

// goneVersion is that of an item in the chunks which stands for none.
const goneVersion = math.MinInt64

func isGone(it *model.Item) bool { return it.Version == goneVersion }

// removeMarked is Remove where there is a base. A mark stays in the chunks for an item that
// base does not have either: it makes no difference.
func (c *Contents) removeMarked(key string) bool {
	it := c.Get(key)
	if it == nil {
		return false
	}
	if c.Observe != nil {
		c.Observe(key, nil)
	}
	if c.Persistent {
		c.digest -= it.Digest()
	}
	c.place(&model.Item{Key: key, Version: goneVersion})
	return true
}

// first are the first items of a range, at least as many as asked for if there are so many,
// and how many there are, where there is a base.
func (c *Contents) first(n int, key, end string, scratch *[]*model.Item) (items []*model.Item, total int) {
	changed := c.betweenInChunks(key, end, scratch)
	have := c.base.between(key, end)
	if len(changed) == 0 {
		return have, len(have)
	}
	total = len(have)
	for _, it := range changed {
		was, is := c.base.Get(it.Key) != nil, !isGone(it)
		switch {
		case is && !was:
			total++
		case was && !is:
			total--
		}
	}
	*scratch = merge((*scratch)[:0], have, slices.Clone(changed), n)
	return *scratch, total
}

// merge appends the items of a base with what has changed of them, until there are so many.
func merge(to, have, changed []*model.Item, most int) []*model.Item {
	for _, it := range changed {
		same := search(have, it.Key)
		if len(to)+same >= most {
			break
		}
		to = append(to, have[:same]...)
		if have = have[same:]; len(have) > 0 && have[0].Key == it.Key {
			have = have[1:]
		}
		if !isGone(it) {
			to = append(to, it)
		}
	}
	return append(to, have[:max(0, min(len(have), most-len(to)))]...)
}

// Digest is the same for equal contents that are persistent.
func (c *Contents) Digest() uint64 { return c.digest }

// Equal compares persistent contents that began with the same base, or with none.
func (c *Contents) Equal(other *Contents) bool {
	if c.digest != other.digest {
		return false
	}
	if c.base != nil {
		return c.differsLike(other) && other.differsLike(c)
	}
	x, y := iterate(c), iterate(other)
	for {
		i, j := x(), y()
		if i == nil || j == nil {
			return i == j
		}
		if i != j && *i != *j {
			return false
		}
	}
}

// differsLike reports whether other contents have what these have, where these differ from
// their base.
func (c *Contents) differsLike(other *Contents) bool {
	next := iterate(c)
	for it := next(); it != nil; it = next() {
		have := other.Get(it.Key)
		if isGone(it) != (have == nil) || have != nil && *have != *it {
			return false
		}
	}
	return true
}

// iterate goes through what the chunks have.
func iterate(c *Contents) func() *model.Item {
	chunk, at := 0, 0
	return func() *model.Item {
		for chunk < len(c.chunks) {
			if at < len(c.chunks[chunk]) {
				at++
				return c.chunks[chunk][at-1]
			}
			chunk, at = chunk+1, 0
		}
		return nil
	}
}
