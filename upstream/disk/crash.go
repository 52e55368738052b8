package disk

import (
	"fmt"
	"path"
	"slices"
)

// Choose makes a choice among n, of which it says what it is about.
type Choose func(n int, what string) int

// Kill ends the process: descriptors are closed, and all that was written is there for the next one.
func (d *Disk) Kill() {
	d.closeAll()
	d.collect()
}

// Restore ends the process, and has the disk hold what is on another one. What may fail stays as it is.
func (d *Disk) Restore(backup *Disk) {
	faults := d.faults
	*d = *backup.Clone()
	d.faults = faults
	d.Kill()
}

// lost is what a loss of power takes from a file: of the unsynced writes, or pages with Pages, so many, with so many
// bytes. torn: a part of one of these is on the disk.
type lost struct {
	path, what string
	n, of      int
	bytes      int64
	torn       bool
}

// String implements fmt.Stringer.
func (l *lost) String() string {
	text := fmt.Sprintf("%d of %d unsynced %s of %s (%d bytes)", l.n, l.of, l.what, path.Base(l.path), l.bytes)
	if l.torn {
		text += ", one of them in part"
	}
	return text
}

// String implements fmt.Stringer.
func (c *change) String() string {
	switch {
	case c.from != 0:
		return fmt.Sprintf("the renaming of %s to %s", c.fromName, c.name)
	case c.inode == 0:
		return "the removal of " + c.name
	}
	return "the creation of " + c.name
}

// PowerLoss ends the process and takes from the disk what is not durable, but for what is chosen. What is left is
// durable. It says what is lost: of the files that are still there, and of directories.
func (d *Disk) PowerLoss(choose Choose) (takes []string) {
	changes := d.loseChanges(choose)
	for i := range changes {
		if !undone(changes, i) {
			takes = append(takes, changes[i].String())
		}
	}
	d.closeAll()
	for n, i := range d.inodes {
		if i != nil && i.directory {
			i = d.mine(n)
			i.entries = i.kept
		}
	}
	d.collect()
	d.countLinks()
	d.walk(func(path string, n int) {
		i := d.inodes[n]
		if i.directory || len(i.writes) == 0 && !i.lost {
			return
		}
		i = d.mine(n)
		l := &lost{path: path, what: "writes"}
		if d.options.Losses == Pages {
			l.what, i.durable = "pages", i.losePages(l, choose)
		} else {
			i.durable = i.loseWrites(l, choose)
		}
		if l.n > 0 {
			takes = append(takes, l.String())
		}
		i.now, i.writes, i.lost = i.durable, nil, false
	})
	return takes
}

// undone reports whether one of these changes is a file that is made and removed again, or its removal.
func undone(changes []change, i int) bool {
	c, others := &changes[i], changes[i+1:]
	if c.inode == 0 {
		others = changes[:i]
	}
	return c.from == 0 && slices.ContainsFunc(others, func(o change) bool {
		return o.directory == c.directory && o.name == c.name && o.from == 0 && (o.inode == 0) != (c.inode == 0)
	})
}

// loseChanges has some changes of directories become durable, forgets the others, and returns these.
func (d *Disk) loseChanges(choose Choose) (lost []change) {
	all := d.changes
	d.changes = nil
	switch {
	case len(all) == 0:
	case d.options.Directories == Journaled:
		kept := choose(len(all)+1, "changes of directories on the disk")
		for k := range all[:kept] {
			d.keep(&all[k])
		}
		lost = all[kept:]
	default:
		// A directory that nothing leads to has no name, and its changes do not matter.
		left := make([]int, len(d.inodes))
		d.walk(func(path string, n int) {
			count := 0
			for k := range all {
				if all[k].directory == n {
					count++
				}
			}
			if count > 0 {
				left[n] = choose(count+1, fmt.Sprintf("changes of %s on the disk", path))
			}
		})
		for k := range all {
			if c := &all[k]; left[c.directory] > 0 {
				left[c.directory]--
				d.keep(c)
			} else {
				lost = append(lost, *c)
			}
		}
	}
	return lost
}

// loseWrites is what is left if writes come to the disk in their order.
func (i *inode) loseWrites(l *lost, choose Choose) content {
	if len(i.writes) == 0 {
		return i.durable
	}
	count := choose(len(i.writes)+1, fmt.Sprintf("writes of %s on the disk", l.path))
	left := i.prefix(count)
	l.of, l.n = len(i.writes), len(i.writes)-count
	for _, w := range i.writes[count:] {
		l.bytes += w.length
	}
	if count == len(i.writes) || i.writes[count].resizes {
		return left
	}
	next := i.writes[count]
	first := next.offset / sectorSize
	sectors := (next.offset+next.length+sectorSize-1)/sectorSize - first
	if sectors < 2 {
		return left
	}
	torn := int64(choose(int(sectors), fmt.Sprintf("sectors of the next write of %s on the disk", l.path)))
	if torn == 0 {
		return left
	}
	l.torn = true
	part := make([]byte, (first+torn)*sectorSize-next.offset)
	next.after.readAt(part, next.offset)
	return left.writeAt(part, next.offset)
}

// losePages is what is left if pages come to the disk in any order.
func (i *inode) losePages(l *lost, choose Choose) content {
	left, sizes := i.durable, []int64{i.durable.size}
	var touched []int64
	for k := range i.writes {
		w := &i.writes[k]
		if size := w.after.size; size != sizes[len(sizes)-1] {
			sizes = append(sizes, size)
		}
		for n := w.offset / pageSize; !w.resizes && n*pageSize < w.offset+w.length; n++ {
			touched = append(touched, n)
		}
	}
	slices.Sort(touched)
	touched = slices.Compact(touched)
	l.of = len(touched)
	for _, n := range touched {
		versions := []*page{left.page(n)}
		for k := range i.writes {
			if w := &i.writes[k]; !w.resizes && w.offset/pageSize <= n && n*pageSize < w.offset+w.length {
				versions = append(versions, w.after.page(n))
			}
		}
		picked := choose(len(versions), fmt.Sprintf("which contents of page %d of %s are on the disk", n, l.path))
		to := new(page)
		if versions[picked] != nil {
			*to = *versions[picked]
		}
		if picked+1 < len(versions) {
			l.n++
			l.bytes += pageSize
			torn := choose(pageSize/sectorSize, fmt.Sprintf("sectors of the next contents of page %d of %s on the disk", n, l.path))
			copy(to[:torn*sectorSize], versions[picked+1][:])
			l.torn = l.torn || torn > 0
		}
		size := left.size
		left = left.writeAt(to[:], n*pageSize)
		left.size = size
	}
	size := sizes[0]
	if len(sizes) > 1 {
		size = sizes[choose(len(sizes), fmt.Sprintf("which size of %s is on the disk", l.path))]
	}
	// Pages behind the end are cut off.
	left.size = int64(len(left.tables)) * fanout * pageSize
	return left.resize(size)
}

// countLinks counts the names of all files.
func (d *Disk) countLinks() {
	for n, i := range d.inodes {
		if i != nil && n != root {
			d.mine(n).links = 0
		}
	}
	for _, i := range d.inodes {
		if i == nil {
			continue
		}
		for _, e := range i.entries {
			d.mine(e.inode).links++
		}
	}
}

// walk calls f for each file and directory, in the order of their paths. One with several names has the first of them.
func (d *Disk) walk(f func(path string, n int)) {
	seen := make([]bool, len(d.inodes))
	var visit func(path string, n int)
	visit = func(path string, n int) {
		if seen[n] {
			return
		}
		seen[n] = true
		f(path, n)
		for _, e := range d.inodes[n].entries {
			visit(join(path, e.name), e.inode)
		}
	}
	visit("/", root)
}

func join(directory, name string) string {
	if directory == "/" {
		return directory + name
	}
	return directory + "/" + name
}
