package disk

import (
	"cmp"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/upstream/engine"
)

// change is one of a directory: what a name stands for from then on, nothing if the inode is 0. A rename takes another
// name away with it.
type change struct {
	at        uint64
	directory int
	name      string
	inode     int
	from      int
	fromName  string
	// moved is what is renamed, or what a name stood for that is gone.
	moved int
}

// about says whether a change is one of an inode, or of its names.
func (c *change) about(n int) bool {
	return n == c.directory || n == c.from || n == c.inode || n == c.moved
}

func find(list []entry, name string) (int, bool) {
	return slices.BinarySearchFunc(list, name, func(e entry, name string) int { return cmp.Compare(e.name, name) })
}

// with is a list of entries in which a name stands for an inode, or for nothing. The list itself stays as it is.
func with(list []entry, name string, inode int) []entry {
	i, there := find(list, name)
	switch {
	case there && inode == 0:
		return slices.Concat(list[:i], list[i+1:])
	case there:
		list = slices.Clone(list)
		list[i].inode = inode
		return list
	case inode == 0:
		return list
	}
	return slices.Concat(list[:i], []entry{{name, inode}}, list[i:])
}

// carryOut makes a change of a directory.
func (d *Disk) carryOut(c change) {
	d.written++
	c.at = d.written
	to := d.mine(c.directory)
	if i, there := find(to.entries, c.name); there {
		d.mine(to.entries[i].inode).links--
	}
	to.entries = with(to.entries, c.name, c.inode)
	if c.from != 0 {
		from := d.mine(c.from)
		from.entries = with(from.entries, c.fromName, 0)
	} else if c.inode != 0 {
		d.mine(c.inode).links++
	}
	d.changes = append(d.changes, c)
}

// keep makes a change durable. What the name was that a rename takes away may not be there: it is in another directory.
func (d *Disk) keep(c *change) {
	to := d.mine(c.directory)
	to.kept = with(to.kept, c.name, c.inode)
	if c.from == 0 {
		return
	}
	from := d.mine(c.from)
	if i, there := find(from.kept, c.fromName); there && from.kept[i].inode == c.moved {
		from.kept = with(from.kept, c.fromName, 0)
	}
}

// lookup is the inode at a path.
func (d *Disk) lookup(fd int32, path string) (int, engine.Errno) {
	directory, name, e := d.parent(fd, path)
	if e != 0 || name == "" {
		return directory, e
	}
	n := d.child(directory, name)
	if n == 0 {
		return 0, engine.ENOENT
	}
	if strings.HasSuffix(path, "/") && !d.inodes[n].directory {
		return 0, engine.ENOTDIR
	}
	return n, 0
}

// child is what a name of a directory stands for, 0 if for nothing.
func (d *Disk) child(directory int, name string) int {
	list := d.inodes[directory].entries
	if i, there := find(list, name); there {
		return list[i].inode
	}
	return 0
}

// parent is the directory that a path leads to and the last name in it. The name is empty if the path leads to the
// directory itself.
func (d *Disk) parent(fd int32, path string) (directory int, name string, e engine.Errno) {
	f := d.descriptor(fd)
	if f == nil {
		return 0, "", engine.EBADF
	}
	above := []int{f.inode}
	for part := range strings.SplitSeq(path, "/") {
		switch part {
		case "", ".":
			continue
		}
		if name != "" {
			n := d.child(above[len(above)-1], name)
			if n == 0 {
				return 0, "", engine.ENOENT
			}
			above, name = append(above, n), ""
		}
		if !d.inodes[above[len(above)-1]].directory {
			return 0, "", engine.ENOTDIR
		}
		if part != ".." {
			name = part
			continue
		}
		if len(above) == 1 {
			// Go makes paths clean, so that none leads out of the directory that it begins with.
			return 0, "", engine.EINVAL
		}
		above = above[:len(above)-1]
	}
	return above[len(above)-1], name, 0
}

// MakeDirectory implements engine.Files.
func (d *Disk) MakeDirectory(fd int32, path string) engine.Errno {
	directory, name, e := d.parent(fd, path)
	switch {
	case e != 0:
		return e
	case name == "" || d.child(directory, name) != 0:
		return engine.EEXIST
	case d.faults.full:
		return engine.ENOSPC
	}
	d.carryOut(change{directory: directory, name: name, inode: d.allocate(true)})
	return 0
}

// RemoveDirectory implements engine.Files.
func (d *Disk) RemoveDirectory(fd int32, path string) engine.Errno {
	directory, name, n, e := d.named(fd, path)
	switch {
	case e != 0:
		return e
	case !d.inodes[n].directory:
		return engine.ENOTDIR
	case len(d.inodes[n].entries) > 0:
		return engine.ENOTEMPTY
	}
	d.carryOut(change{directory: directory, name: name, moved: n})
	return 0
}

// RemoveFile implements engine.Files.
func (d *Disk) RemoveFile(fd int32, path string) engine.Errno {
	directory, name, n, e := d.named(fd, path)
	switch {
	case e != 0:
		return e
	case d.inodes[n].directory:
		return engine.EISDIR
	}
	d.carryOut(change{directory: directory, name: name, moved: n})
	return 0
}

// named is what a path leads to: a name of a directory, and its inode.
func (d *Disk) named(fd int32, path string) (directory int, name string, n int, e engine.Errno) {
	directory, name, e = d.parent(fd, path)
	switch {
	case e != 0:
		return 0, "", 0, e
	case name == "":
		return 0, "", 0, engine.EINVAL
	}
	if n = d.child(directory, name); n == 0 {
		return 0, "", 0, engine.ENOENT
	}
	return directory, name, n, 0
}

// Rename implements engine.Files.
func (d *Disk) Rename(fd int32, path string, toFD int32, toPath string) engine.Errno {
	from, fromName, n, e := d.named(fd, path)
	if e != 0 {
		return e
	}
	to, name, e := d.parent(toFD, toPath)
	switch {
	case e != 0:
		return e
	case name == "":
		return engine.EEXIST
	case d.inodes[n].directory && d.isBelow(to, n):
		return engine.EINVAL
	}
	if over := d.child(to, name); over != 0 {
		switch {
		case over == n:
			return 0
		case d.inodes[over].directory && !d.inodes[n].directory:
			return engine.EISDIR
		case !d.inodes[over].directory && d.inodes[n].directory:
			return engine.ENOTDIR
		case len(d.inodes[over].entries) > 0:
			return engine.ENOTEMPTY
		}
	}
	d.carryOut(change{directory: to, name: name, inode: n, from: from, fromName: fromName, moved: n})
	return 0
}

// isBelow says whether a directory is another one, or somewhere in it.
func (d *Disk) isBelow(n, above int) bool {
	return n == above || slices.ContainsFunc(d.inodes[above].entries, func(e entry) bool {
		return d.inodes[e.inode].directory && d.isBelow(n, e.inode)
	})
}

// Link implements engine.Files.
func (d *Disk) Link(fd int32, path string, toFD int32, toPath string) engine.Errno {
	n, e := d.lookup(fd, path)
	if e != 0 {
		return e
	}
	to, name, e := d.parent(toFD, toPath)
	switch {
	case e != 0:
		return e
	case name == "" || d.child(to, name) != 0:
		return engine.EEXIST
	case d.inodes[n].directory:
		return engine.ENOTSUP
	}
	d.carryOut(change{directory: to, name: name, inode: n})
	return 0
}

// Entries implements engine.Files.
func (d *Disk) Entries(fd int32) ([]engine.FileInfo, engine.Errno) {
	f := d.descriptor(fd)
	switch {
	case f == nil:
		return nil, engine.EBADF
	case !d.inodes[f.inode].directory:
		return nil, engine.ENOTDIR
	}
	var list []engine.FileInfo
	for _, e := range d.inodes[f.inode].entries {
		info := d.info(e.inode)
		info.Name = e.name
		list = append(list, info)
	}
	return list, 0
}
