package engine_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/upstream/disk"
	"github.com/watchbed/watchbed/upstream/engine"
	"github.com/watchbed/watchbed/upstream/overlay"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// process is a node: a guest of testdata/files and its disk. It lets goroutines go on in their order, except for those
// that sync while the disk is stalled.
type process struct {
	t       *testing.T
	guest   *engine.Guest
	disk    *disk.Disk
	seed    byte
	asked   uint32
	answers map[uint32]string
	// random are the functions of goroutines that asked for random numbers, waits how often there were only some that
	// sync.
	random []string
	waits  int
}

func (p *process) Pick(runnable []engine.Goroutine, _ bool) int {
	i := slices.IndexFunc(runnable, func(g engine.Goroutine) bool { return !g.Syncs || !p.disk.Stalled() })
	if i < 0 {
		p.waits++
		return engine.None
	}
	return i
}

func (p *process) Select(engine.Goroutine, int) int { return 0 }
func (p *process) Lock(engine.Goroutine) bool       { return false }
func (p *process) CanSend(uint32) bool              { return true }
func (p *process) Files() engine.Files              { return p.disk }

func (p *process) Random(g engine.Goroutine, b []byte) {
	p.random = append(p.random, g.Function)
	for i := range b {
		p.seed++
		b[i] = p.seed
	}
}

func (p *process) Send(message []byte) {
	r := protocol.Reader{Bytes: message}
	_, conn := r.Begin()
	p.answers[conn] = r.Text()
}

// ask has the guest do something, and returns under which number it answers.
func (p *process) ask(what string) uint32 {
	p.asked++
	_, err := p.guest.Run(p, 0, new(protocol.Writer).Begin(protocol.Do, p.asked).Text(what).Bytes)
	require.NoError(p.t, err)
	return p.asked
}

// proceed has the guest run without a message.
func (p *process) proceed() {
	_, err := p.guest.Run(p, 0, nil)
	require.NoError(p.t, err)
}

// told is what the guest answers at once.
func (p *process) told(what string) string {
	n := p.ask(what)
	answer, there := p.answers[n]
	require.True(p.t, there, "%s is not answered", what)
	return answer
}

// does has the guest do what is successful and has nothing to tell.
func (p *process) does(what ...string) {
	for _, w := range what {
		require.Empty(p.t, p.told(w), w)
	}
}

func (p *process) clone() *process {
	c := *p
	c.guest, c.disk, c.answers = p.guest.Clone(), p.disk.Clone(), map[uint32]string{}
	return &c
}

func newProcess(t *testing.T) *process {
	m, err := compiled()
	if errors.Is(err, errNoGo) {
		t.Skip(err)
	}
	require.NoError(t, err)
	g, err := m.NewGuest()
	require.NoError(t, err)
	return &process{t: t, guest: g, disk: disk.New(disk.Options{}), answers: map[uint32]string{}}
}

var errNoGo = errors.New("the Go that compiles this program is none that the overlay knows")

// compiled is the guest of testdata/files.
var compiled = sync.OnceValues(func() (*engine.Module, error) {
	release, err := overlay.For("1.26.0")
	if err != nil {
		return nil, err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	goroot := strings.TrimSpace(string(root))
	if err != nil || runtime.Version() != "go"+release.Version || !overlay.Replaceable(goroot) {
		return nil, errNoGo
	}
	work, err := os.MkdirTemp("", "watchbed")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	const ours = "github.com/watchbed/watchbed/upstream/protocol"
	write := func(file, text string) {
		if err == nil {
			err = os.WriteFile(filepath.Join(work, file), []byte(text), 0o600)
		}
	}
	err = errors.Join(os.CopyFS(work, os.DirFS("testdata/files")), os.CopyFS(filepath.Join(work, "protocol"), os.DirFS("../protocol")))
	write("go.mod", "module files\n\ngo 1.26.0\n\nrequire "+ours+" v0.0.0\n\nreplace "+ours+" => ./protocol\n")
	write("protocol/go.mod", "module "+ours+"\n\ngo 1.26.0\n")
	if err != nil {
		return nil, err
	}
	list, err := overlay.Write(overlay.Plain, release, work, goroot, work, nil)
	if err != nil {
		return nil, err
	}
	build := exec.Command("go", "build", "-trimpath", "-overlay", list, "-o", "guest.wasm", "main.go")
	build.Dir, build.Env = work, append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOOS=wasip1", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	wasm, err := os.ReadFile(filepath.Join(work, "guest.wasm"))
	if err == nil {
		wasm, err = engine.ExportGlobals(wasm)
	}
	if err == nil {
		wasm, err = engine.CountLoops(wasm)
	}
	if err != nil {
		return nil, err
	}
	return engine.Load(wasm, filepath.Join(work, "compiled"), engine.GuestMemory)
})

// TestWhatAGuestDoesWithFiles: package os finds what it has written, on the disk of its node, and the errors that it
// knows.
func TestWhatAGuestDoesWithFiles(t *testing.T) {
	p := newProcess(t)
	p.does("make /data/member/wal", "open /data/member/wal/0.tmp", "truncate /data/member/wal/0.tmp 20", "write /data/member/wal/0.tmp hello")
	require.Equal(t, "0.tmp false 20", p.told("stat /data/member/wal/0.tmp"))
	p.does("rename /data/member/wal/0.tmp /data/member/wal/0", "append /data/member/wal/0 end")
	require.Equal(t, "hello...............end", p.told("read /data/member/wal/0"))
	require.Equal(t, "2", p.told("seek /data/member/wal/0.tmp 2"))
	p.does("write /data/member/wal/0.tmp LL", "truncate /data/member/wal/0.tmp 6", "close /data/member/wal/0.tmp")
	require.Equal(t, "heLLo.", p.told("read data/member/wal/0"))
	p.does("create /data/b", "create /data/a", "link /data/a /data/c", "remove /data/a")
	require.Equal(t, "b c member/", p.told("list /data"))
	require.Equal(t, "member true 0", p.told("stat /data/../data/member/"))

	for what, want := range map[string]string{
		"create /data/b":         "open /data/b: File exists",
		"read /data/none":        "open /data/none: No such file or directory",
		"open /data/b/none":      "open /data/b/none: Not a directory",
		"remove /data/member":    "remove /data/member: Directory not empty",
		"write /data/member/wal": "invalid argument",
	} {
		require.Equal(t, want, p.told(what))
	}

	for i := range 500 {
		p.does(fmt.Sprintf("create /data/member/file-with-a-rather-long-name-%03d", i))
	}
	require.Len(t, strings.Fields(p.told("list /data/member")), 501)
	p.does("removeall /data/member")
	require.Equal(t, []string{"/data/", "/data/b", "/data/c"}, p.disk.Paths())
}

// TestASyncIsAWait: a goroutine that syncs waits until the host lets it go on, others run meanwhile, and what they
// write is not part of that sync.
func TestASyncIsAWait(t *testing.T) {
	p := newProcess(t)
	p.disk.Stall(true)
	p.does("open /wal", "write /wal first")
	n := p.ask("sync /wal")
	require.NotContains(t, p.answers, n)
	require.Equal(t, 1, p.waits)
	p.does("write /wal second")
	require.Equal(t, 3, p.disk.Unsynced(), "a new file and two writes")
	p.proceed()
	require.NotContains(t, p.answers, n)

	p.disk.Stall(false)
	p.proceed()
	require.Equal(t, "synced", p.answers[n])
	require.Equal(t, 1, p.disk.Unsynced())
	p.disk.PowerLoss(func(int, string) int { return 0 })
	left, _ := p.disk.ReadFile("/wal")
	require.Equal(t, "first", string(left))
}

// TestFaultsOfADisk: the guest is told of them by the errors that a system has.
func TestFaultsOfADisk(t *testing.T) {
	p := newProcess(t)
	p.does("open /wal", "truncate /wal 8")
	p.disk.Fill(true)
	p.does("write /wal 12345678")
	require.Equal(t, "write /wal: No space left on device", p.told("write /wal 9"))
	p.disk.Fill(false)
	p.does("write /wal 9")
	p.disk.Fail(disk.Sync, "/wal", 1)
	require.Equal(t, "sync /wal: I/O error", p.told("sync /wal"))
	require.Equal(t, "synced", p.told("sync /wal"))
}

// TestAGuestAndItsDiskAreClonedTogether: descriptors, places in files and syncs that are under way are those of the
// clone. The same choices have the same outcome, to the bit.
func TestAGuestAndItsDiskAreClonedTogether(t *testing.T) {
	p := newProcess(t)
	p.does("make /data", "open /data/wal", "write /data/wal one")
	p.disk.Stall(true)
	n := p.ask("sync /data/wal")
	c := p.clone()
	for _, q := range []*process{c, p} {
		q.disk.Stall(false)
		q.proceed()
		require.Equal(t, "synced", q.answers[n])
		require.Equal(t, "01020304", q.told("random x"))
		q.does("write /data/wal two")
	}
	require.Equal(t, []string{"main.main.func1"}, p.random)
	require.Equal(t, p.guest.Hash(), c.guest.Hash())
	require.Equal(t, p.disk.Hash(), c.disk.Hash())
	c.does("write /data/wal three")
	require.Equal(t, "onetwo", p.told("read /data/wal"))
	require.Equal(t, "onetwothree", c.told("read /data/wal"))
	require.NotEqual(t, p.disk.Hash(), c.disk.Hash())
}
