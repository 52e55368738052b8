package disk

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/upstream/engine"
)

// Disk is the file system of a process. One goroutine uses it at a time.
type Disk struct {
	options Options
	// owner is that of the inodes which no clone shares.
	owner *owner
	// inodes are by their numbers, nil if there is none.
	inodes      []*inode
	descriptors []descriptor
	// changes are those of directories that are not durable, in order.
	changes []change
	// written counts the changes of files and directories.
	written uint64
	faults  faults
}

// Options are what is left to a file system.
type Options struct {
	Directories Directories `json:"directories"`
	Losses      Losses      `json:"losses"`
}

// Directories is when a change of a directory is durable.
type Directories uint8

const (
	// Journaled: changes of all directories are in one journal, as ext4 has it. A sync of a file, or of a directory,
	// makes those durable that are about it, and all before them.
	Journaled Directories = iota
	// Strict: a sync of a directory makes its own durable, and nothing else does. POSIX promises no more.
	Strict
)

// Losses is what a loss of power may take of what is not durable in a file.
type Losses uint8

const (
	// Ordered: a prefix of the writes is left, and of the next one some sectors.
	Ordered Losses = iota
	// Pages: each page has what it had after any of the writes to it, or between two of them up to some sector; and the
	// file any of the sizes that it had.
	Pages
)

var (
	directoriesNames = [...]string{Journaled: "journaled", Strict: "strict"}
	lossesNames      = [...]string{Ordered: "ordered", Pages: "pages"}
)

// MarshalText implements encoding.TextMarshaler.
func (d Directories) MarshalText() ([]byte, error) { return []byte(directoriesNames[d]), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Directories) UnmarshalText(text []byte) error { return named(d, directoriesNames[:], text) }

// MarshalText implements encoding.TextMarshaler.
func (l Losses) MarshalText() ([]byte, error) { return []byte(lossesNames[l]), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (l *Losses) UnmarshalText(text []byte) error { return named(l, lossesNames[:], text) }

func named[T ~uint8](to *T, names []string, text []byte) error {
	i := slices.Index(names, string(text))
	if i < 0 {
		return fmt.Errorf("%q: want %s", text, strings.Join(names, " or "))
	}
	*to = T(i)
	return nil
}

type owner struct{ _ byte }

// inode is a file or a directory.
type inode struct {
	owner     *owner
	directory bool
	// links are its names.
	links int
	// now is what is read, durable what is on the platters, writes what leads from the one to the other.
	now, durable content
	writes       []write
	// lost: some writes are in now, and no sync will make them durable, since one has failed.
	lost bool
	// entries are those of a directory, kept those on the platters, both in the order of their names.
	entries, kept []entry
}

type entry struct {
	name  string
	inode int
}

// descriptor is a file that is open. Its inode is 0 if none is.
type descriptor struct {
	inode               int
	offset              int64
	reads, writes, adds bool
}

// root is the inode of the directory /.
const root = 1

// New returns an empty disk.
func New(o Options) *Disk {
	d := &Disk{options: o, owner: new(owner)}
	d.inodes = []*inode{nil, {owner: d.owner, directory: true, links: 1}}
	d.closeAll()
	return d
}

// closeAll closes all descriptors but that of the root.
func (d *Disk) closeAll() {
	d.descriptors = make([]descriptor, engine.Root+1, 32)
	d.descriptors[engine.Root] = descriptor{inode: root, reads: true}
}

// Clone returns a disk in the same state. It shares all files with this one until either changes them.
func (d *Disk) Clone() *Disk {
	d.owner, d.changes = new(owner), slices.Clip(d.changes)
	c := *d
	c.owner, c.inodes, c.descriptors = new(owner), slices.Clone(d.inodes), slices.Clone(d.descriptors)
	c.faults = d.faults.clone()
	return &c
}

// mine is an inode that may be changed.
func (d *Disk) mine(n int) *inode {
	i := d.inodes[n]
	if i.owner != d.owner {
		own := *i
		own.owner, own.writes = d.owner, slices.Clip(i.writes)
		i = &own
		d.inodes[n] = i
	}
	return i
}

// allocate makes a new inode.
func (d *Disk) allocate(directory bool) int {
	made := &inode{owner: d.owner, directory: directory}
	for n := root + 1; n < len(d.inodes); n++ {
		if d.inodes[n] == nil {
			d.inodes[n] = made
			return n
		}
	}
	d.inodes = append(d.inodes, made)
	return len(d.inodes) - 1
}

// collect gives up the inodes that nothing leads to: no name, none that is on the platters or may get there, no
// descriptor.
func (d *Disk) collect() {
	needed := make([]bool, len(d.inodes))
	var need func(n int)
	need = func(n int) {
		if n == 0 || needed[n] {
			return
		}
		needed[n] = true
		for _, list := range [][]entry{d.inodes[n].entries, d.inodes[n].kept} {
			for _, e := range list {
				need(e.inode)
			}
		}
	}
	need(root)
	for _, f := range d.descriptors {
		need(f.inode)
	}
	for _, c := range d.changes {
		need(c.directory)
		need(c.inode)
		need(c.from)
	}
	for n := range d.inodes {
		if !needed[n] {
			d.inodes[n] = nil
		}
	}
}
