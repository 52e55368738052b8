package items

import (
	"iter"
	"slices"
)

// Holds reports whether a key is attached to a lease.
func (c *Contents) Holds(lease int64) bool {
	for range c.attachedTo(lease) {
		return true
	}
	return false
}

// Revoke deletes the keys of a lease.
func (c *Contents) Revoke(lease int64) (deleted int64) {
	keys := slices.Collect(c.attachedTo(lease))
	for _, key := range keys {
		c.Remove(key)
	}
	return int64(len(keys))
}

// attachedTo are the keys that are attached to a lease, which must not change meanwhile.
func (c *Contents) attachedTo(lease int64) iter.Seq[string] {
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
