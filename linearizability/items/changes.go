package items

import (
	"math"
	"slices"

	"github.com/watchbed/watchbed/model"
)

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
