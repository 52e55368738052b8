package disk

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/upstream/engine"
)

// all has a disk lose power in all ways, and is what is left, each once.
func all(d *Disk, left func(*Disk) string) []string {
	var outcomes []string
	// path are the choices of a way, widths among how many each was made.
	for path, widths := []int{}, []int{}; ; {
		c := d.Clone()
		at := 0
		c.PowerLoss(func(n int, _ string) int {
			if at == len(path) {
				path, widths = append(path, 0), append(widths, n)
			}
			at++
			return path[at-1]
		})
		if o := left(c); !slices.Contains(outcomes, o) {
			outcomes = append(outcomes, o)
		}
		for len(path) > 0 && path[len(path)-1]+1 == widths[len(path)-1] {
			path, widths = path[:len(path)-1], widths[:len(path)-1]
		}
		if len(path) == 0 {
			slices.Sort(outcomes)
			return outcomes
		}
		path[len(path)-1]++
	}
}

// paths are those of all that is there.
func paths(d *Disk) string { return strings.Join(d.Paths(), " ") }

// runs is what is in a file: each byte once with how often it follows on itself.
func runs(path string) func(*Disk) string {
	return func(d *Disk) string {
		b, there := d.ReadFile(path)
		if !there {
			return "none"
		}
		var parts []string
		for len(b) > 0 {
			n := 1
			for n < len(b) && b[n] == b[0] {
				n++
			}
			name := string(b[:1])
			if b[0] == 0 {
				name = "."
			}
			parts = append(parts, fmt.Sprint(name, n))
			b = b[n:]
		}
		return strings.Join(parts, " ")
	}
}

// user does with a disk what must succeed.
type user struct {
	t *testing.T
	*Disk
}

func newUser(t *testing.T, o Options) user { return user{t, New(o)} }

func (u user) open(path string) int32 {
	fd, e := u.Open(engine.Root, path, engine.Opening{Create: true, Read: true, Write: true})
	require.Zero(u.t, e, path)
	return fd
}

func (u user) write(fd int32, offset int64, b byte, n int) {
	_, e := u.WriteAt(fd, slices.Repeat([]byte{b}, n), offset)
	require.Zero(u.t, e)
}

func (u user) sync(fd int32) { require.Zero(u.t, u.Sync(fd, u.Written())) }

func (u user) mkdir(path string) { require.Zero(u.t, u.MakeDirectory(engine.Root, path)) }

func (u user) rename(from, to string) {
	require.Zero(u.t, u.Rename(engine.Root, from, engine.Root, to))
}

// TestKillLosesNothing: what was written is there for the next process, which has no descriptors, and it is not
// durable.
func TestKillLosesNothing(t *testing.T) {
	u := newUser(t, Options{})
	fd := u.open("wal")
	u.write(fd, 0, 'a', 100)
	gone := u.open("gone")
	require.Zero(t, u.RemoveFile(engine.Root, "gone"))
	u.write(gone, 0, 'g', 10)
	u.Kill()
	require.Equal(t, "a100", runs("wal")(u.Disk))
	_, e := u.ReadAt(fd, make([]byte, 1), 0)
	require.Equal(t, engine.EBADF, e)
	// A file that was created and removed may be there, if only its creation got to the disk.
	require.Equal(t, []string{"0 /gone /wal", "0 /wal", "100 /gone /wal", "100 /wal", "none"}, all(u.Disk, func(d *Disk) string {
		b, there := d.ReadFile("wal")
		if !there {
			return "none"
		}
		return fmt.Sprint(len(b), " ", paths(d))
	}))
}

// TestWhatWasSyncedSurvives: in any order, and whatever is chosen.
func TestWhatWasSyncedSurvives(t *testing.T) {
	for _, o := range []Options{{}, {Losses: Pages}} {
		u := newUser(t, o)
		fd := u.open("wal")
		u.write(fd, 0, 'a', 600)
		u.sync(fd)
		require.Zero(t, u.Unsynced())
		require.Equal(t, []string{"a600"}, all(u.Disk, runs("wal")), o)
	}
}

// TestOrderedLossesAreAPrefix: of the writes behind the last sync some are left, of the next one some sectors, and no
// later one.
func TestOrderedLossesAreAPrefix(t *testing.T) {
	u := newUser(t, Options{})
	fd := u.open("wal")
	u.write(fd, 0, 'a', 600)
	u.sync(fd)
	u.write(fd, 600, 'b', 100)
	u.write(fd, 700, 'c', 1000)
	require.Equal(t, []string{
		"a600",
		// b is within one sector, and c in three: its sectors end at 1024 and 1536.
		"a600 b100", "a600 b100 c1000", "a600 b100 c324", "a600 b100 c836",
	}, all(u.Disk, runs("wal")))

	require.Zero(t, u.Truncate(fd, 300))
	require.Contains(t, all(u.Disk, runs("wal")), "a300")
	u.sync(fd)
	require.Equal(t, []string{"a300"}, all(u.Disk, runs("wal")))
}

// TestWritesOverOthersAreTorn: an overwritten part has the old contents behind the sector at which the write was torn.
func TestWritesOverOthersAreTorn(t *testing.T) {
	u := newUser(t, Options{})
	fd := u.open("db")
	u.write(fd, 0, 'a', 2048)
	u.sync(fd)
	u.write(fd, 512, 'b', 1024)
	require.Equal(t, []string{"a2048", "a512 b1024 a512", "a512 b512 a1024"}, all(u.Disk, runs("db")))
}

// TestPagesAreLostInAnyOrder: a later page may be there without an earlier one, and the file may be larger than what it
// has.
func TestPagesAreLostInAnyOrder(t *testing.T) {
	u := newUser(t, Options{Losses: Pages})
	fd := u.open("db")
	u.write(fd, 0, 'a', 2*pageSize)
	u.sync(fd)
	u.write(fd, 0, 'b', pageSize)
	u.write(fd, pageSize, 'c', pageSize)
	outcomes := all(u.Disk, runs("db"))
	for _, want := range []string{"a8192", "b4096 a4096", "a4096 c4096", "b4096 c4096", "b512 a7680", "b512 a3584 c4096"} {
		require.Contains(t, outcomes, want)
	}
	// Each page is old, new, or torn at one of seven places.
	require.Len(t, outcomes, 9*9)

	u = newUser(t, Options{Losses: Pages})
	fd = u.open("db")
	u.write(fd, 0, 'a', 100)
	u.sync(fd)
	u.write(fd, 100, 'b', 100)
	require.Equal(t, []string{"a100", "a100 .100", "a100 b100"}, all(u.Disk, runs("db")))
}

// TestADirectoryOfAJournal: changes are lost from the end, a sync of a file has those of its own names and all before
// them, and a rename is never half done.
func TestADirectoryOfAJournal(t *testing.T) {
	u := newUser(t, Options{})
	u.mkdir("d")
	u.open("d/one")
	two := u.open("d/two")
	u.open("d/three")
	require.Equal(t, []string{"", "/d/", "/d/ /d/one", "/d/ /d/one /d/three /d/two", "/d/ /d/one /d/two"}, all(u.Disk, paths))
	u.sync(two)
	require.Equal(t, []string{"/d/ /d/one /d/three /d/two", "/d/ /d/one /d/two"}, all(u.Disk, paths))
	u.rename("d/two", "d/three")
	require.Equal(t, []string{"/d/ /d/one /d/three", "/d/ /d/one /d/three /d/two", "/d/ /d/one /d/two"}, all(u.Disk, paths))
	u.sync(two)
	require.Equal(t, []string{"/d/ /d/one /d/three"}, all(u.Disk, paths))
}

// TestADirectoryThatIsStrict: only a sync of the directory itself has its entries survive, and a directory without a
// name is lost with all in it.
func TestADirectoryThatIsStrict(t *testing.T) {
	u := newUser(t, Options{Directories: Strict})
	u.mkdir("d")
	fd := u.open("d/one")
	u.write(fd, 0, 'a', 10)
	u.sync(fd)
	require.Equal(t, []string{"", "/d/", "/d/ /d/one"}, all(u.Disk, paths))
	directory, e := u.Open(engine.Root, "d", engine.Opening{Read: true, Directory: true})
	require.Zero(t, e)
	u.sync(directory)
	require.Equal(t, []string{"", "/d/ /d/one"}, all(u.Disk, paths))
	u.sync(engine.Root)
	require.Equal(t, []string{"/d/ /d/one"}, all(u.Disk, paths))
	require.Equal(t, []string{"a10"}, all(u.Disk, runs("d/one")))
	// Changes of two directories are lost independently of each other.
	u.open("d/two")
	u.open("three")
	require.Equal(t, []string{"/d/ /d/one", "/d/ /d/one /d/two", "/d/ /d/one /d/two /three", "/d/ /d/one /three"}, all(u.Disk, paths))
}

// TestARemovedFileComesBack: with its contents, if its removal is lost.
func TestARemovedFileComesBack(t *testing.T) {
	u := newUser(t, Options{})
	fd := u.open("snap")
	u.write(fd, 0, 'a', 10)
	u.sync(fd)
	require.Zero(t, u.Close(fd))
	require.Zero(t, u.RemoveFile(engine.Root, "snap"))
	require.Equal(t, []string{"a10", "none"}, all(u.Disk, runs("snap")))
	u.sync(engine.Root)
	require.Equal(t, []string{"none"}, all(u.Disk, runs("snap")))
	// Nothing leads to it any more.
	require.Equal(t, []*inode{nil, u.inodes[root], nil}, u.inodes)
}

// TestASyncThatFails: what it was about is read, is not on the platters, and the next sync says nothing of it.
func TestASyncThatFails(t *testing.T) {
	u := newUser(t, Options{})
	fd := u.open("wal")
	u.write(fd, 0, 'a', pageSize)
	u.sync(fd)
	u.write(fd, pageSize, 'b', pageSize)
	u.Fail(Sync, "wal", 1)
	require.Equal(t, engine.EIO, u.Sync(fd, u.Written()))
	u.write(fd, 2*pageSize, 'c', pageSize)
	u.sync(fd)
	u.Kill()
	require.Equal(t, "a4096 b4096 c4096", runs("wal")(u.Disk))
	require.Equal(t, []string{"a4096 .4096 c4096"}, all(u.Disk, runs("wal")))
}

// TestWhatIsWrittenDuringASync: it need not be durable when that is done.
func TestWhatIsWrittenDuringASync(t *testing.T) {
	u := newUser(t, Options{})
	fd := u.open("wal")
	u.write(fd, 0, 'a', 10)
	begun := u.Written()
	u.write(fd, 10, 'b', 10)
	later := u.Written()
	require.Zero(t, u.Sync(fd, begun))
	require.Equal(t, []string{"a10", "a10 b10"}, all(u.Disk, runs("wal")))
	// Of two syncs the later one may be done first.
	require.Zero(t, u.Sync(fd, later))
	require.Zero(t, u.Sync(fd, begun))
	require.Equal(t, []string{"a10 b10"}, all(u.Disk, runs("wal")))
}

// TestABitFlips: one bit of what was written, and a crash does not mend it.
func TestABitFlips(t *testing.T) {
	u := newUser(t, Options{})
	fd := u.open("member/snap/db"[len("member/snap/"):])
	u.write(fd, 2*pageSize, 'a', 10)
	u.sync(fd)
	where := u.FlipBit("db", func(n int, _ string) int { return n - 1 })
	require.Equal(t, "bit 7 of byte 8201 of /db", where)
	want := "." + fmt.Sprint(2*pageSize) + " a9 \xe11"
	require.Equal(t, want, runs("db")(u.Disk))
	require.Equal(t, []string{want}, all(u.Disk, runs("db")))
	require.Empty(t, u.FlipBit("wal", nil))
}

// TestRestore: a disk holds what a copy held, also when the copy is used again, and is as full as before.
func TestRestore(t *testing.T) {
	d := New(Options{})
	write := func(text string) {
		fd, e := d.Open(engine.Root, "file", engine.Opening{Create: true, Truncate: true, Write: true})
		require.Zero(t, e)
		_, e = d.Write(fd, []byte(text))
		require.Zero(t, e)
	}
	write("before")
	backup := d.Clone()
	for range 2 {
		write("after")
		d.Fill(true)
		d.Restore(backup)
		text, _ := d.ReadFile("file")
		require.Equal(t, "before", string(text))
		require.True(t, d.Full())
		d.Fill(false)
	}
}

// TestWhatPowerLossTakes is said: of each file how many of its writes, and which changes of directories.
func TestWhatPowerLossTakes(t *testing.T) {
	for _, c := range []struct {
		options Options
		choices []int
		takes   []string
	}{
		{Options{}, []int{0, 0, 0}, []string{"the creation of f", "the renaming of e to g"}},
		{Options{}, []int{2, 3}, []string{"the removal of x", "the renaming of e to g"}},
		{Options{}, []int{4, 3}, nil},
		{Options{}, []int{4, 1, 0}, []string{"2 of 3 unsynced writes of f (1501 bytes)"}},
		{Options{}, []int{3, 1, 2}, []string{"the renaming of e to g", "2 of 3 unsynced writes of f (1501 bytes), one of them in part"}},
		{Options{Losses: Pages}, []int{4, 3}, nil},
		{Options{Losses: Pages}, []int{4, 2, 0}, []string{"1 of 1 unsynced pages of f (4096 bytes)"}},
	} {
		u := newUser(t, c.options)
		u.sync(u.open("e"))
		fd := u.open("f")
		u.open("x")
		require.Zero(t, u.RemoveFile(engine.Root, "x"))
		u.rename("e", "g")
		for i, size := range []int{1, 1500, 1} {
			u.write(fd, int64(i), 'x', size)
		}
		require.Equal(t, c.takes, u.PowerLoss(func(n int, what string) int {
			if len(c.choices) == 0 {
				return n - 1
			}
			next := c.choices[0]
			c.choices = c.choices[1:]
			require.Less(t, next, n, what)
			return next
		}), c)
	}
}
