package disk

import (
	"fmt"
	"slices"
	"strings"
)

// Operation is what a disk can fail to do.
type Operation uint8

// Operations.
const (
	Read Operation = iota
	Write
	Sync
)

// faults are those of a disk.
type faults struct {
	full, stalled bool
	failing       []failure
}

// failure is that operations on some files fail.
type failure struct {
	operation Operation
	// in is a part of the paths of the files, times how often it fails.
	in    string
	times int
}

func (f faults) clone() faults {
	f.failing = slices.Clone(f.failing)
	return f
}

// Fill makes the disk full, so that no file can become larger, or gives it room again.
func (d *Disk) Fill(full bool) { d.faults.full = full }

// Full says whether the disk is full.
func (d *Disk) Full() bool { return d.faults.full }

// Stall has no sync come to its end until it is called with false. Whoever lets goroutines run has to heed it.
func (d *Disk) Stall(stalled bool) { d.faults.stalled = stalled }

// Stalled says whether no sync comes to its end.
func (d *Disk) Stalled() bool { return d.faults.stalled }

// Fail has the next operations of a kind on files with this in their paths fail with an I/O error.
func (d *Disk) Fail(o Operation, in string, times int) {
	d.faults.failing = append(d.faults.failing, failure{o, in, times})
}

// Faulty says whether an operation may fail.
func (d *Disk) Faulty() bool {
	return d.faults.full || slices.ContainsFunc(d.faults.failing, func(f failure) bool { return f.times > 0 })
}

// Repair has no operation fail any more.
func (d *Disk) Repair() { d.faults.failing = nil }

// fails says whether an operation fails.
func (d *Disk) fails(o Operation, n int) bool {
	for k := range d.faults.failing {
		f := &d.faults.failing[k]
		if f.operation != o || f.times == 0 || !strings.Contains(d.pathOf(n), f.in) {
			continue
		}
		f.times--
		return true
	}
	return false
}

// pathOf is the path of an inode, empty if it has none any more.
func (d *Disk) pathOf(n int) string {
	found := ""
	d.walk(func(path string, other int) {
		if other == n {
			found = path
		}
	})
	return found
}

// FlipBit changes a bit of a file with this in its path, among those that have been written, and says where, or nothing
// if there is no such file.
func (d *Disk) FlipBit(in string, choose Choose) (where string) {
	var paths []string
	var inodes []int
	d.walk(func(path string, n int) {
		if strings.Contains(path, in) && len(d.inodes[n].now.written()) > 0 {
			paths, inodes = append(paths, path), append(inodes, n)
		}
	})
	if len(paths) == 0 {
		return ""
	}
	k := choose(len(paths), "file of which a bit changes")
	i := d.mine(inodes[k])
	pages := i.now.written()
	n := pages[choose(len(pages), fmt.Sprintf("page of %s of which a bit changes", paths[k]))]
	bit := choose(int(min(pageSize, i.now.size-n*pageSize))*8, fmt.Sprintf("bit of page %d of %s that changes", n, paths[k]))
	i.now = i.now.flipped(n, bit)
	i.durable = i.durable.flipped(n, bit)
	i.writes = slices.Clone(i.writes)
	for w := range i.writes {
		i.writes[w].after = i.writes[w].after.flipped(n, bit)
	}
	return fmt.Sprintf("bit %d of byte %d of %s", bit%8, n*pageSize+int64(bit/8), paths[k])
}

// written are the pages that have been written.
func (c content) written() []int64 {
	var pages []int64
	for n := int64(0); n*pageSize < c.size; n++ {
		if c.page(n) != nil {
			pages = append(pages, n)
		}
	}
	return pages
}

// flipped is the content with another bit in a page, if it has that.
func (c content) flipped(n int64, bit int) content {
	p := c.page(n)
	if p == nil {
		return c
	}
	b := p[bit/8] ^ 1<<(bit%8)
	size := c.size
	c = c.writeAt([]byte{b}, n*pageSize+int64(bit/8))
	c.size = size
	return c
}
