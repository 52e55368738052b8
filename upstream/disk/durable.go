package disk

import (
	"slices"

	"github.com/watchbed/watchbed/upstream/engine"
)

// Sync implements engine.Files.
func (d *Disk) Sync(fd int32, written uint64) engine.Errno {
	f := d.descriptor(fd)
	if f == nil {
		return engine.EBADF
	}
	fails := d.fails(Sync, f.inode)
	if !d.inodes[f.inode].directory {
		d.syncWrites(f.inode, written, fails)
	}
	if fails {
		return engine.EIO
	}
	d.syncChanges(f.inode, written)
	return 0
}

// syncWrites makes the writes of a file durable. If that fails they are forgotten, as Linux does it: what is read has
// them, the platters do not, and the next sync says nothing of it.
func (d *Disk) syncWrites(n int, written uint64, fails bool) {
	count := d.inodes[n].before(written)
	if count == 0 {
		return
	}
	i := d.mine(n)
	if fails {
		i.lost = true
	} else {
		i.durable = i.prefix(count)
	}
	if i.writes = i.writes[count:]; len(i.writes) == 0 {
		i.writes = nil
	}
}

// before is how many of the writes that are not durable there were by then.
func (i *inode) before(written uint64) int {
	n := 0
	for n < len(i.writes) && i.writes[n].at <= written {
		n++
	}
	return n
}

// prefix is what a file is if some writes become durable.
func (i *inode) prefix(count int) content {
	switch {
	case count == 0:
		return i.durable
	case !i.lost:
		return i.writes[count-1].after
	}
	c := i.durable
	for _, w := range i.writes[:count] {
		c = w.onto(c)
	}
	return c
}

// onto is a content with the pages of a write: pages are what a disk is given.
func (w *write) onto(c content) content {
	if w.resizes {
		return c.resize(w.after.size)
	}
	end := w.offset + w.length
	c = c.withPages(w.after, w.offset/pageSize, (end+pageSize-1)/pageSize)
	c.size = max(c.size, end)
	return c
}

// syncChanges makes those changes of directories durable that a sync promises.
func (d *Disk) syncChanges(n int, written uint64) {
	if len(d.changes) == 0 {
		return
	}
	var left []change
	switch d.options.Directories {
	case Journaled:
		count := 0
		for k := range d.changes {
			if c := &d.changes[k]; c.at <= written && c.about(n) {
				count = k + 1
			}
		}
		if count == 0 {
			return
		}
		for k := range d.changes[:count] {
			d.keep(&d.changes[k])
		}
		left = slices.Clone(d.changes[count:])
	case Strict:
		for k := range d.changes {
			if c := &d.changes[k]; c.at <= written && c.directory == n {
				d.keep(c)
			} else {
				left = append(left, *c)
			}
		}
		if len(left) == len(d.changes) {
			return
		}
	}
	d.changes = left
	d.collect()
}

// Unsynced is how much of the files and directories is not durable: how many writes and changes.
func (d *Disk) Unsynced() int {
	count := len(d.changes)
	for _, i := range d.inodes {
		if i != nil {
			count += len(i.writes)
		}
	}
	return count
}
