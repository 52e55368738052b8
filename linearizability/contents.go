package linearizability

import (
	"iter"
	"math"
	"slices"
	"strings"

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
	// base are the many items that the contents began with, nil if they were few. The chunks
	// hold only what differs from them then: each item that was set, and each of base that
	// was removed, as one that isGone.
	base   *base
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

// base are the items that histories begin with, by key: made once for all histories that
// begin with the same ones. It never changes.
type base struct {
	given, items []*model.Item
	digest       uint64
	// attached are the keys on each lease.
	attached map[int64][]string
	// plain are the same items without revisions, nil before they were asked for.
	plain *base
}

// bases keeps the base of the last history.
type bases struct {
	last *base
	// least is the number of items from which on there is a base; 0 stands for leastBase.
	least int
}

// leastBase is about where comparing the items with those of a base takes as long as setting
// each of them.
const leastBase = 32

// of is the base of these items, nil if they are few. Neither they nor what they are may
// change later; the slice may.
func (b *bases) of(items []*model.Item) *base {
	least := b.least
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

func newBase(given []*model.Item) *base {
	b := &base{given: slices.Clone(given), items: slices.Clone(given), attached: map[int64][]string{}}
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

func (b *base) asPlain() *base {
	if b.plain == nil {
		b.plain = newBase(plainItems(b.items))
	}
	return b.plain
}

func (b *base) get(key string) *model.Item {
	if b == nil {
		return nil
	}
	if i := search(b.items, key); i < len(b.items) && b.items[i].Key == key {
		return b.items[i]
	}
	return nil
}

// between are the items of etcd's range [key, end). The caller must not change them.
func (b *base) between(key, end string) []*model.Item {
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

// goneVersion is that of an item in the chunks which stands for none.
const goneVersion = math.MinInt64

func isGone(it *model.Item) bool { return it.Version == goneVersion }

// reset starts again at the given items, keeping the memory. The base is that of the items,
// nil if it has none.
func (c *contents) reset(init []*model.Item, b *base) {
	if c.persistent || len(c.chunks) > 1 {
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
	it := c.inChunks(key)
	switch {
	case c.base == nil:
		return it
	case it == nil:
		return c.base.get(key)
	case isGone(it):
		return nil
	}
	return it
}

// inChunks is what the chunks have of a key, nil if that is nothing.
func (c *contents) inChunks(key string) *model.Item {
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
		if c.base != nil {
			if old := c.get(it.Key); old != nil {
				c.digest -= old.Digest()
			}
		}
	}
	if c.observe != nil {
		c.observe(it.Key, it)
	}
	c.place(it)
}

// place puts an item into the chunks.
func (c *contents) place(it *model.Item) {
	if len(c.chunks) == 0 {
		c.chunks = append(c.chunks, append(make([]*model.Item, 0, 8), it))
		return
	}
	at := c.chunk(it.Key)
	items := c.chunks[at]
	i := search(items, it.Key)
	found := i < len(items) && items[i].Key == it.Key
	if found && c.persistent && c.base == nil {
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

// removeMarked is remove where there is a base. A mark stays in the chunks for an item that
// base does not have either: it makes no difference.
func (c *contents) removeMarked(key string) bool {
	it := c.get(key)
	if it == nil {
		return false
	}
	if c.observe != nil {
		c.observe(key, nil)
	}
	if c.persistent {
		c.digest -= it.Digest()
	}
	c.place(&model.Item{Key: key, Version: goneVersion})
	return true
}

// between returns the items of etcd's range [key, end). They are valid until
// the next change; scratch holds them where they are not in one place.
func (c *contents) between(key, end string, scratch *[]*model.Item) []*model.Item {
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

// first are the first items of a range, at least as many as asked for if there are so many,
// and how many there are, where there is a base.
func (c *contents) first(n int, key, end string, scratch *[]*model.Item) (items []*model.Item, total int) {
	changed := c.betweenInChunks(key, end, scratch)
	have := c.base.between(key, end)
	if len(changed) == 0 {
		return have, len(have)
	}
	total = len(have)
	for _, it := range changed {
		was, is := c.base.get(it.Key) != nil, !isGone(it)
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

// betweenInChunks is between for what the chunks have.
func (c *contents) betweenInChunks(key, end string, scratch *[]*model.Item) []*model.Item {
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
	*it = model.Item{Key: r.Key, Value: r.Value, CreateRevision: rev, ModRevision: rev, Version: 1, Lease: r.Lease}
	if old := c.get(r.Key); old != nil {
		if r.IgnoreValue {
			it.Value = old.Value
		}
		if r.IgnoreLease {
			it.Lease = old.Lease
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

// holds reports whether a key is attached to a lease.
func (c *contents) holds(lease int64) bool {
	for range c.attachedTo(lease) {
		return true
	}
	return false
}

// revoke deletes the keys of a lease.
func (c *contents) revoke(lease int64) (deleted int64) {
	keys := slices.Collect(c.attachedTo(lease))
	for _, key := range keys {
		c.remove(key)
	}
	return int64(len(keys))
}

// attachedTo are the keys that are attached to a lease, which must not change meanwhile.
func (c *contents) attachedTo(lease int64) iter.Seq[string] {
	return func(yield func(string) bool) {
		if c.base != nil {
			for _, key := range c.base.attached[lease] {
				if c.inChunks(key) == nil && !yield(key) {
					return
				}
			}
		}
		for _, items := range c.chunks {
			for _, it := range items {
				if it.Lease == lease && !isGone(it) && !yield(it.Key) {
					return
				}
			}
		}
	}
}
