package disk

import "github.com/watchbed/watchbed/upstream/engine"

var _ engine.Files = (*Disk)(nil)

// write is one of a file, or a change of its size.
type write struct {
	at             uint64
	offset, length int64
	resizes        bool
	// after is the content behind it.
	after content
}

func (d *Disk) descriptor(fd int32) *descriptor {
	if fd < 0 || int(fd) >= len(d.descriptors) || d.descriptors[fd].inode == 0 {
		return nil
	}
	return &d.descriptors[fd]
}

// file is a descriptor of a file, and that file.
func (d *Disk) file(fd int32) (*descriptor, *inode, engine.Errno) {
	f := d.descriptor(fd)
	switch {
	case f == nil:
		return nil, nil, engine.EBADF
	case d.inodes[f.inode].directory:
		return nil, nil, engine.EISDIR
	}
	return f, d.inodes[f.inode], 0
}

// Open implements engine.Files.
func (d *Disk) Open(fd int32, path string, how engine.Opening) (int32, engine.Errno) {
	directory, name, e := d.parent(fd, path)
	if e != 0 {
		return 0, e
	}
	n := directory
	if name != "" {
		n = d.child(directory, name)
	}
	switch {
	case n == 0 && !how.Create:
		return 0, engine.ENOENT
	case n == 0 && d.faults.full:
		return 0, engine.ENOSPC
	case n == 0:
		n = d.allocate(false)
		d.carryOut(change{directory: directory, name: name, inode: n})
	case how.Create && how.Exclusive:
		return 0, engine.EEXIST
	case how.Directory && !d.inodes[n].directory:
		return 0, engine.ENOTDIR
	case how.Write && d.inodes[n].directory:
		return 0, engine.EISDIR
	case how.Truncate && d.inodes[n].now.size > 0:
		d.resize(n, 0)
	}
	return d.open(descriptor{inode: n, reads: how.Read, writes: how.Write, adds: how.Append}), 0
}

// open is the lowest descriptor that is free.
func (d *Disk) open(f descriptor) int32 {
	for fd := engine.Root + 1; fd < len(d.descriptors); fd++ {
		if d.descriptors[fd].inode == 0 {
			d.descriptors[fd] = f
			return int32(fd)
		}
	}
	d.descriptors = append(d.descriptors, f)
	return int32(len(d.descriptors) - 1)
}

// Close implements engine.Files.
func (d *Disk) Close(fd int32) engine.Errno {
	f := d.descriptor(fd)
	if f == nil {
		return engine.EBADF
	}
	gone := d.inodes[f.inode].links == 0
	*f = descriptor{}
	if gone {
		d.collect()
	}
	return 0
}

// Read implements engine.Files.
func (d *Disk) Read(fd int32, p []byte) (int, engine.Errno) {
	f := d.descriptor(fd)
	if f == nil {
		return 0, engine.EBADF
	}
	n, e := d.ReadAt(fd, p, f.offset)
	f.offset += int64(n)
	return n, e
}

// ReadAt implements engine.Files.
func (d *Disk) ReadAt(fd int32, p []byte, offset int64) (int, engine.Errno) {
	f, i, e := d.file(fd)
	switch {
	case e != 0:
		return 0, e
	case !f.reads:
		return 0, engine.EBADF
	case offset < 0:
		return 0, engine.EINVAL
	case d.fails(Read, f.inode):
		return 0, engine.EIO
	}
	return i.now.readAt(p, offset), 0
}

// Write implements engine.Files.
func (d *Disk) Write(fd int32, p []byte) (int, engine.Errno) {
	f, i, e := d.file(fd)
	if e != 0 {
		return 0, e
	}
	if f.adds {
		f.offset = i.now.size
	}
	n, e := d.WriteAt(fd, p, f.offset)
	f.offset += int64(n)
	return n, e
}

// WriteAt implements engine.Files.
func (d *Disk) WriteAt(fd int32, p []byte, offset int64) (int, engine.Errno) {
	f, i, e := d.file(fd)
	switch {
	case e != 0:
		return 0, e
	case !f.writes:
		return 0, engine.EBADF
	case offset < 0:
		return 0, engine.EINVAL
	case len(p) == 0:
		return 0, 0
	case d.fails(Write, f.inode):
		return 0, engine.EIO
	case d.faults.full && offset+int64(len(p)) > i.now.size:
		return 0, engine.ENOSPC
	}
	d.add(f.inode, write{offset: offset, length: int64(len(p)), after: i.now.writeAt(p, offset)})
	return len(p), 0
}

// add notes a write.
func (d *Disk) add(n int, w write) {
	d.written++
	w.at = d.written
	i := d.mine(n)
	i.writes, i.now = append(i.writes, w), w.after
}

func (d *Disk) resize(n int, size int64) {
	d.add(n, write{resizes: true, after: d.inodes[n].now.resize(size)})
}

// Seek implements engine.Files.
func (d *Disk) Seek(fd int32, offset int64, whence uint32) (int64, engine.Errno) {
	f := d.descriptor(fd)
	if f == nil {
		return 0, engine.EBADF
	}
	switch whence {
	case 0:
	case 1:
		offset += f.offset
	case 2:
		offset += d.inodes[f.inode].now.size
	default:
		return 0, engine.EINVAL
	}
	if offset < 0 {
		return 0, engine.EINVAL
	}
	f.offset = offset
	return offset, 0
}

// Truncate implements engine.Files. A disk that is full has no room for zeros either: what makes a file larger does so
// to have the room.
func (d *Disk) Truncate(fd int32, size int64) engine.Errno {
	f, i, e := d.file(fd)
	switch {
	case e != 0:
		return e
	case !f.writes:
		return engine.EBADF
	case size < 0:
		return engine.EINVAL
	case d.fails(Write, f.inode):
		return engine.EIO
	case d.faults.full && size > i.now.size:
		return engine.ENOSPC
	case size != i.now.size:
		d.resize(f.inode, size)
	}
	return 0
}

// Written implements engine.Files.
func (d *Disk) Written() uint64 { return d.written }

// Stat implements engine.Files.
func (d *Disk) Stat(fd int32) (engine.FileInfo, engine.Errno) {
	f := d.descriptor(fd)
	if f == nil {
		return engine.FileInfo{}, engine.EBADF
	}
	return d.info(f.inode), 0
}

// StatAt implements engine.Files.
func (d *Disk) StatAt(fd int32, path string) (engine.FileInfo, engine.Errno) {
	n, e := d.lookup(fd, path)
	if e != 0 {
		return engine.FileInfo{}, e
	}
	info := d.info(n)
	info.Name = path
	return info, 0
}

func (d *Disk) info(n int) engine.FileInfo {
	i := d.inodes[n]
	return engine.FileInfo{Inode: uint64(n), Directory: i.directory, Links: uint64(i.links), Size: i.now.size}
}
