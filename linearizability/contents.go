package linearizability

import (
	"github.com/watchbed/watchbed/model"
)

// contents are the items of a store in key order, in chunks: small enough that
// inserting moves little, and that a branching search shares all of them but
// the one it changes.
//
// It exists beside model.Store because judging must be cheap enough to do after
// every schedule: with a handful of keys it is one sorted slice, reused from one
// history to the next. A test ties its answers to those of model.Store.
type contents struct {
	chunks [][]*model.Item
	items  *arena
	// persistent makes changes copy the chunk that they touch, so that clones
	// keep theirs.
	persistent bool
	// digest is the sum of the digests of all items, kept only if persistent:
	// only persistent contents are compared with each other.
	digest uint64
	// plain contents know no revisions: each item is at 1, and counts as written once.
	plain bool
	// observe, if set, is called for every change; nil is a deletion.
	observe func(key string, it *model.Item)
}

const chunkItems = 64

// arena hands out items that live until the next reset.
type arena struct{ block []model.Item }

func (a *arena) reset() { a.block = a.block[:0] }

func (a *arena) item() *model.Item {
	if len(a.block) == cap(a.block) {
		// Items handed out before stay in their old block.
		a.block = make([]model.Item, 0, min(max(16, 2*cap(a.block)), 1<<14))
	}
	a.block = a.block[:len(a.block)+1]
	return &a.block[len(a.block)-1]
}

// reset starts again at the given items, keeping the memory.
func (c *contents) reset(init []*model.Item) {
	if c.persistent || len(c.chunks) > 1 {
		c.chunks = nil
	} else if len(c.chunks) == 1 {
		c.chunks[0] = c.chunks[0][:0]
	}
	c.digest = 0
	for _, it := range init {
		c.set(it)
	}
}

// clone is only for persistent contents.
func (c *contents) clone() contents {
	d := *c
	d.chunks = append(make([][]*model.Item, 0, len(c.chunks)+1), c.chunks...)
	return d
}

// chunk is the index of the only chunk that can hold the key.
func (c *contents) chunk(key string) int {
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

func (c *contents) get(key string) *model.Item {
	if len(c.chunks) == 0 {
		return nil
	}
	items := c.chunks[c.chunk(key)]
	if i := search(items, key); i < len(items) && items[i].Key == key {
		return items[i]
	}
	return nil
}

func (c *contents) set(it *model.Item) {
	if c.persistent {
		c.digest += it.Digest()
	}
	if c.observe != nil {
		c.observe(it.Key, it)
	}
	if len(c.chunks) == 0 {
		c.chunks = append(c.chunks, append(make([]*model.Item, 0, 8), it))
		return
	}
	at := c.chunk(it.Key)
	items := c.chunks[at]
	i := search(items, it.Key)
	found := i < len(items) && items[i].Key == it.Key
	if found && c.persistent {
		c.digest -= items[i].Digest()
	}
	if c.persistent {
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
	if len(items) > chunkItems {
		c.split(at)
	}
}

func (c *contents) split(at int) {
	items := c.chunks[at]
	half := len(items) / 2
	right := append(make([]*model.Item, 0, chunkItems+1), items[half:]...)
	c.chunks = append(c.chunks, nil)
	copy(c.chunks[at+2:], c.chunks[at+1:])
	c.chunks[at], c.chunks[at+1] = items[:half], right
}

func (c *contents) remove(key string) bool {
	if len(c.chunks) == 0 {
		return false
	}
	at := c.chunk(key)
	items := c.chunks[at]
	i := search(items, key)
	if i == len(items) || items[i].Key != key {
		return false
	}
	if c.observe != nil {
		c.observe(key, nil)
	}
	if c.persistent {
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

// between returns the items of etcd's range [key, end). They are valid until
// the next change; scratch holds them where they span chunks.
func (c *contents) between(key, end string, scratch *[]*model.Item) []*model.Item {
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

func (c *contents) put(r *model.Request, rev int64) {
	it := c.items.item()
	if c.plain {
		rev = 1
	}
	*it = model.Item{Key: r.Key, Value: r.Value, CreateRevision: rev, ModRevision: rev, Version: 1}
	if old := c.get(r.Key); old != nil {
		if r.IgnoreValue {
			it.Value = old.Value
		}
		if !c.plain {
			it.CreateRevision, it.Version = old.CreateRevision, old.Version+1
		}
	}
	c.set(it)
}

func (c *contents) deleteRange(key, end string, scratch *[]*model.Item) int64 {
	if end == "" {
		if c.remove(key) {
			return 1
		}
		return 0
	}
	// Removing shifts the items that the range is a window on.
	gone := append([]*model.Item(nil), c.between(key, end, scratch)...)
	for _, it := range gone {
		c.remove(it.Key)
	}
	return int64(len(gone))
}
