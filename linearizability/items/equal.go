package items

import "github.com/watchbed/watchbed/model"

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
