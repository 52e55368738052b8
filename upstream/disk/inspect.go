package disk

import (
	"encoding/binary"
	"hash/fnv"

	"github.com/watchbed/watchbed/upstream/engine"
)

// ReadFile is what is in the file at a path.
func (d *Disk) ReadFile(path string) ([]byte, bool) {
	n, e := d.lookup(engine.Root, path)
	if e != 0 || d.inodes[n].directory {
		return nil, false
	}
	p := make([]byte, d.inodes[n].now.size)
	d.inodes[n].now.readAt(p, 0)
	return p, true
}

// Paths are those of all files and directories, in order. Those of directories end with a slash.
func (d *Disk) Paths() []string {
	var paths []string
	d.walk(func(path string, n int) {
		switch {
		case n == root:
		case d.inodes[n].directory:
			paths = append(paths, path+"/")
		default:
			paths = append(paths, path)
		}
	})
	return paths
}

// Hash is a digest of what is read, of what is durable, and of the descriptors.
func (d *Disk) Hash() uint64 {
	h := fnv.New64a()
	var word [8]byte
	number := func(numbers ...int64) {
		for _, n := range numbers {
			binary.LittleEndian.PutUint64(word[:], uint64(n))
			h.Write(word[:])
		}
	}
	hashed := func(c content) {
		number(c.size)
		for _, n := range c.written() {
			number(n)
			h.Write(c.page(n)[:])
		}
	}
	list := func(entries []entry) {
		number(int64(len(entries)))
		for _, e := range entries {
			h.Write([]byte(e.name))
			number(int64(e.inode))
		}
	}
	for n, i := range d.inodes {
		if i == nil {
			continue
		}
		number(int64(n), int64(i.links), int64(len(i.writes)))
		hashed(i.now)
		hashed(i.durable)
		list(i.entries)
		list(i.kept)
	}
	for _, f := range d.descriptors {
		number(int64(f.inode), f.offset)
	}
	number(int64(len(d.changes)), int64(d.written))
	return h.Sum64()
}
