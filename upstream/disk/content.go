package disk

import "slices"

const (
	pageSize   = 4096
	sectorSize = 512
	// fanout is how many pages a table has.
	fanout = 64
)

type (
	page  [pageSize]byte
	table [fanout]*page
)

// content is what is in a file. It does not change, nor do its tables and pages: another content shares those that it
// has in common. A page that is nil has zeros.
type content struct {
	size   int64
	tables []*table
}

func (c content) page(n int64) *page {
	if t := n / fanout; t < int64(len(c.tables)) && c.tables[t] != nil {
		return c.tables[t][n%fanout]
	}
	return nil
}

// readAt reads until the end.
func (c content) readAt(p []byte, offset int64) int {
	if offset >= c.size {
		return 0
	}
	p = p[:min(int64(len(p)), c.size-offset)]
	for done := 0; done < len(p); {
		n, within := (offset+int64(done))/pageSize, (offset+int64(done))%pageSize
		part := p[done:min(len(p), done+int(pageSize-within))]
		if from := c.page(n); from != nil {
			copy(part, from[within:])
		} else {
			clear(part)
		}
		done += len(part)
	}
	return len(p)
}

// writeAt is the content with p at an offset.
func (c content) writeAt(p []byte, offset int64) content {
	w := c.change(offset + int64(len(p)))
	for done := 0; done < len(p); {
		n, within := (offset+int64(done))/pageSize, (offset+int64(done))%pageSize
		to := new(page)
		if from := c.page(n); from != nil && (within > 0 || len(p)-done < pageSize) {
			*to = *from
		}
		done += copy(to[within:], p[done:])
		w.put(n, to)
	}
	return w.content
}

// resize is the content with another size: cut off, or with zeros behind it.
func (c content) resize(size int64) content {
	if size >= c.size {
		return content{size, c.tables}
	}
	w := changing{content: content{size, slices.Clone(c.tables[:min(int64(len(c.tables)), tables(size))])}}
	for n := (size + pageSize - 1) / pageSize; n < int64(len(w.tables))*fanout; n++ {
		if w.page(n) != nil {
			w.put(n, nil)
		}
	}
	if last := size / pageSize; size%pageSize > 0 && w.page(last) != nil {
		to := *w.page(last)
		clear(to[size%pageSize:])
		w.put(last, &to)
	}
	return w.content
}

// withPages is the content with some pages of another one.
func (c content) withPages(from content, first, end int64) content {
	w := c.change(end * pageSize)
	w.size = c.size
	for n := first; n < end; n++ {
		w.put(n, from.page(n))
	}
	return w.content
}

// tables is how many tables a size needs.
func tables(size int64) int64 { return (size + pageSize*fanout - 1) / (pageSize * fanout) }

// changing is a content that is being made out of another one.
type changing struct {
	content
	// own are the tables that are not shared.
	own []bool
}

// change makes a content of at least this size.
func (c content) change(size int64) changing {
	size = max(size, c.size)
	t := make([]*table, max(int64(len(c.tables)), tables(size)))
	copy(t, c.tables)
	return changing{content: content{size, t}}
}

func (c *changing) put(n int64, p *page) {
	t := n / fanout
	for int64(len(c.own)) <= t {
		c.own = append(c.own, false)
	}
	if !c.own[t] {
		fresh := new(table)
		if old := c.tables[t]; old != nil {
			*fresh = *old
		}
		c.tables[t], c.own[t] = fresh, true
	}
	c.tables[t][n%fanout] = p
}
