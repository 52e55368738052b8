package disk

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/upstream/engine"
)

// TestAFileIsItsBytes: after any writes and changes of its size a file has what a list of bytes has, and clones do not
// touch each other.
func TestAFileIsItsBytes(t *testing.T) {
	type twin struct {
		disk  *Disk
		bytes []byte
	}
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 0))
		u := newUser(t, Options{Losses: Losses(seed % 2)})
		fd := u.open("f")
		twins := []twin{{u.Disk, nil}}
		for range 120 {
			at := &twins[r.IntN(len(twins))]
			size := r.IntN(2 * fanout * pageSize)
			if r.IntN(3) > 0 {
				size = r.IntN(3 * pageSize)
			}
			switch r.IntN(10) {
			case 0:
				require.Zero(t, at.disk.Truncate(fd, int64(size)))
				grown := make([]byte, size)
				copy(grown, at.bytes)
				at.bytes = grown
			case 1:
				require.Zero(t, at.disk.Sync(fd, at.disk.Written()))
				at.disk.Clone().PowerLoss(func(n int, _ string) int { return r.IntN(n) })
			case 2:
				if len(twins) < 8 {
					twins = append(twins, twin{at.disk.Clone(), append([]byte(nil), at.bytes...)})
				}
			default:
				p := make([]byte, r.IntN(3*pageSize))
				for i := range p {
					p[i] = byte(r.Uint32())
				}
				n, e := at.disk.WriteAt(fd, p, int64(size))
				require.Zero(t, e)
				require.Equal(t, len(p), n)
				if end := size + len(p); end > len(at.bytes) && len(p) > 0 {
					at.bytes = append(at.bytes, make([]byte, end-len(at.bytes))...)
				}
				copy(at.bytes[min(size, len(at.bytes)):], p)
			}
		}
		for i, tw := range twins {
			b, _ := tw.disk.ReadFile("f")
			require.True(t, string(b) == string(tw.bytes), "twin %d of seed %d", i, seed)
		}
	}
}

// TestTheSameIsTheSame: a disk is a function of what is done with it, and a clone has the hash of what it is a clone
// of.
func TestTheSameIsTheSame(t *testing.T) {
	run := func(clones bool) uint64 {
		u := newUser(t, Options{})
		r := rand.New(rand.NewPCG(7, 0))
		for i := range 200 {
			if clones {
				u.Disk = u.Clone()
			}
			fd := u.open(fmt.Sprint("f", r.IntN(9)))
			u.write(fd, int64(r.IntN(9000)), byte(i), 100+r.IntN(9000))
			if r.IntN(2) == 0 {
				u.sync(fd)
			}
			if r.IntN(9) > 0 {
				require.Zero(t, u.Close(fd))
			}
			if n := r.IntN(9); n < 3 {
				u.RemoveFile(engine.Root, fmt.Sprint("f", n))
			} else if n == 3 {
				u.Rename(engine.Root, "f4", engine.Root, "f5")
			}
			if r.IntN(50) == 0 {
				u.PowerLoss(func(n int, _ string) int { return r.IntN(n) })
			}
		}
		return u.Hash()
	}
	require.Equal(t, run(false), run(false))
	require.Equal(t, run(false), run(true))
}

// member is a disk as one of etcd is: a log, a database of 16 MB of which little is used, some small files.
func member(t testing.TB) *Disk {
	d := New(Options{})
	for i, size := range []int64{64 << 10, 64 << 10, 16 << 20, 4096, 4096} {
		fd, e := d.Open(engine.Root, fmt.Sprint("f", i), engine.Opening{Create: true, Read: true, Write: true})
		require.Zero(t, e)
		require.Zero(t, d.Truncate(fd, size))
		_, e = d.WriteAt(fd, make([]byte, min(size, 200<<10)), 0)
		require.Zero(t, e)
		require.Zero(t, d.Sync(fd, d.Written()))
	}
	return d
}

func BenchmarkClone(b *testing.B) {
	d := member(b)
	for b.Loop() {
		d.Clone()
	}
}

// BenchmarkStep is a clone, and in it the writes and syncs of a put: to the log, and of five pages of the database.
func BenchmarkStep(b *testing.B) {
	d := member(b)
	p := make([]byte, pageSize)
	for b.Loop() {
		c := d.Clone()
		c.WriteAt(4, p[:200], 1000)
		c.Sync(4, c.Written())
		for n := range int64(5) {
			c.WriteAt(6, p, (n+7)*pageSize)
		}
		c.Sync(6, c.Written())
	}
}

// BenchmarkPowerLoss is a clone that loses power with a dozen writes under way.
func BenchmarkPowerLoss(b *testing.B) {
	d := member(b)
	p := make([]byte, pageSize)
	for n := range int64(12) {
		d.WriteAt(6, p, (n+7)*pageSize)
	}
	for b.Loop() {
		d.Clone().PowerLoss(func(n int, _ string) int { return n / 2 })
	}
}
