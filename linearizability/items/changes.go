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
