package fleet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// simrunEnv makes the test binary the program: what is tested are its processes.
const simrunEnv = "WATCHBED_FLEET_TEST"

func TestMain(m *testing.M) {
	if os.Getenv(simrunEnv) == "" {
		os.Exit(m.Run())
	}
	worthIt, lotWait = 100*time.Millisecond, 2*time.Second
	os.Exit(Main(os.Args[1:]))
}

// simrun is a process of the program that has not begun.
func simrun(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0], args...)
	c.Dir = t.TempDir()
	c.Env = append(os.Environ(), simrunEnv+"=1")
	return c
}

// answer is what a command prints as JSON, without times.
func answer(t *testing.T, c *exec.Cmd) map[string]any {
	t.Helper()
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	found := map[string]any{}
	require.NoError(t, json.Unmarshal(out.Bytes(), &found), "%v: %s%s", err, out.String(), errs.String())
	delete(found, "seconds")
	delete(found, "cpuSeconds")
	return found
}

// seeds take two seconds of a core, or with tests of full size twenty; kills are how often TestNothingIsLost disturbs them.
var seeds, kills = func() (int, int) {
	if os.Getenv("WATCHBED_TESTS") == "full" {
		return 300_000, 250
	}
	return 30_000, 30
}()

// asked is a campaign that finds violations.
var asked = []string{"run", "issue-15220", "--seeds", strconv.Itoa(seeds), "--no-story", "--json"}

// undisturbed is what one machine says of it.
var undisturbed = sync.OnceValues(func() ([]byte, error) {
	c := exec.Command(os.Args[0], asked...)
	c.Env = append(os.Environ(), simrunEnv+"=1")
	dir, err := os.MkdirTemp("", "fleet")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	c.Dir = dir
	out, err := c.Output()
	if exit, ok := err.(*exec.ExitError); ok && exit.ExitCode() == 1 {
		err = nil
	}
	return out, err
})

func requireUndisturbed(t *testing.T, got map[string]any) {
	t.Helper()
	text, err := undisturbed()
	require.NoError(t, err)
	want := map[string]any{}
	require.NoError(t, json.Unmarshal(text, &want))
	delete(want, "seconds")
	delete(want, "cpuSeconds")
	require.EqualValues(t, seeds, want["schedules"])
	require.Equal(t, want, got)
}

func TestALocalFleetIsOneMachine(t *testing.T) {
	requireUndisturbed(t, answer(t, simrun(t, append([]string{"fleet", "--local"}, asked...)...)))
}

// freePort is one that nothing listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// member is a process of a fleet that is started again whenever it ends.
type member struct {
	start func() *exec.Cmd
	mu    sync.Mutex
	now   *exec.Cmd
	over  bool
	ended sync.WaitGroup
}

func keepAlive(t *testing.T, start func() *exec.Cmd) *member {
	t.Helper()
	m := &member{start: start}
	m.ended.Go(func() {
		for {
			m.mu.Lock()
			if m.over {
				m.mu.Unlock()
				return
			}
			c := m.start()
			// A worker lives for as long as its input.
			in, inErr := c.StdinPipe()
			err := c.Start()
			m.now = c
			m.mu.Unlock()
			if inErr != nil || err != nil {
				t.Error(inErr, err)
				return
			}
			_ = c.Wait()
			_ = in.Close()
			time.Sleep(10 * time.Millisecond)
		}
	})
	t.Cleanup(m.stop)
	return m
}

func (m *member) signal(s os.Signal) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.now != nil {
		_ = m.now.Process.Signal(s)
	}
}

func (m *member) stop() {
	m.mu.Lock()
	m.over = true
	m.mu.Unlock()
	m.signal(syscall.SIGKILL)
	m.ended.Wait()
}

// TestNothingIsLostAndNothingCountedTwice kills workers, the server and the waiting command, lets workers sleep for longer
// than a lot may, cuts the network, and sets the server's files back to what they were a while ago.
func TestNothingIsLostAndNothingCountedTwice(t *testing.T) {
	for seed := range uint64(2) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { disturb(t, seed, kills/2) })
	}
}

func disturb(t *testing.T, seed uint64, kills int) {
	address, dir := freePort(t), filepath.Join(t.TempDir(), "files")
	server := keepAlive(t, func() *exec.Cmd { return simrun(t, "fleet", "--dir", dir, "serve", "--listen", address) })
	cut := newProxy(t, address)
	var workers []*member
	for range 2 {
		workers = append(workers, keepAlive(t, func() *exec.Cmd { return simrun(t, "fleet", "--nats", "nats://"+cut.address, "work", "--one") }))
	}
	r := rand.New(rand.NewPCG(seed, 0))
	killed, done := map[string]int{}, make(chan map[string]any)
	var mu sync.Mutex
	var waiting *exec.Cmd
	go func() {
		defer close(done)
		for {
			c := simrun(t, append([]string{"fleet", "--nats", "nats://" + address}, asked...)...)
			var out bytes.Buffer
			c.Stdout = &out
			mu.Lock()
			err := c.Start()
			waiting = c
			mu.Unlock()
			if err != nil {
				t.Error(err)
				return
			}
			_ = c.Wait()
			found := map[string]any{}
			if json.Unmarshal(out.Bytes(), &found) == nil && found["interrupted"] == nil {
				delete(found, "seconds")
				delete(found, "cpuSeconds")
				done <- found
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	time.Sleep(time.Second)
	for n := 0; n < kills; n++ {
		select {
		case got := <-done:
			// It came to its end between kills: what is left of them finds a fleet that has all results.
			t.Logf("the end after %v", killed)
			requireUndisturbed(t, got)
			return
		case <-time.After(time.Duration(r.IntN(400)) * time.Millisecond):
		}
		switch what := r.IntN(12); {
		case what < 5:
			killed["worker"]++
			workers[r.IntN(len(workers))].signal(syscall.SIGKILL)
		case what < 7:
			killed["server"]++
			server.signal(syscall.SIGKILL)
		case what < 9:
			killed["command"]++
			mu.Lock()
			_ = waiting.Process.Kill()
			mu.Unlock()
		case what == 9:
			killed["sleep"]++
			w := workers[r.IntN(len(workers))]
			w.signal(syscall.SIGSTOP)
			time.AfterFunc(3*time.Second, func() { w.signal(syscall.SIGCONT) })
		case what == 10:
			killed["network"]++
			cut.cut(time.Duration(r.IntN(1000)) * time.Millisecond)
		default:
			killed["older files"]++
			older := filepath.Join(t.TempDir(), "older")
			if exec.Command("cp", "-r", dir, older).Run() != nil {
				continue // a file went while it was copied
			}
			time.Sleep(300 * time.Millisecond)
			server.signal(syscall.SIGSTOP)
			_ = os.RemoveAll(dir)
			_ = os.Rename(older, dir)
			server.signal(syscall.SIGKILL)
		}
	}
	t.Logf("%v", killed)
	select {
	case got := <-done:
		requireUndisturbed(t, got)
	case <-time.After(2 * time.Minute):
		t.Fatal("the campaign does not end")
	}
}

// proxy is a network that can be cut.
type proxy struct {
	address, to string
	mu          sync.Mutex
	until       time.Time
	open        []net.Conn
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	p := &proxy{address: l.Addr().String(), to: to}
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			go p.pass(from)
		}
	}()
	return p
}

func (p *proxy) pass(from net.Conn) {
	defer from.Close()
	p.mu.Lock()
	dead := time.Now().Before(p.until)
	p.mu.Unlock()
	if dead {
		return
	}
	to, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer to.Close()
	p.mu.Lock()
	p.open = append(p.open, from, to)
	p.mu.Unlock()
	go func() {
		_, _ = io.Copy(to, from)
		to.Close()
	}()
	_, _ = io.Copy(from, to)
}

func (p *proxy) cut(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.until = time.Now().Add(d)
	for _, c := range p.open {
		c.Close()
	}
	p.open = nil
}

// spinning is a scenario whose judge does not come to an end in a late schedule.
var _ = testbed.RegisterScenario(func() *testbed.Scenario {
	base, err := testbed.FindScenario("issue-15220")
	if err != nil {
		panic(err)
	}
	sc := *base
	sc.Name, sc.Claims = "test-spins", []*testbed.Property{testbed.RegisterProperty(&testbed.Property{
		Name: "test-ends", Promise: "A judge ends.", Violated: "a judge does not end",
		New: func(*testbed.System) testbed.Judge { return spinner{} },
	})}
	return &sc
}())

type spinner struct{}

// judged are the runs of this process.
var judged atomic.Int64

func (spinner) Reset() {}

func (spinner) Finding(*sim.World) explore.Finding {
	for n := judged.Add(1); n > 2_000; {
	}
	return explore.Finding{Exercised: 1, Verdict: model.Holds}
}

// TestALotThatDoesNotEndIsGivenUp: the campaign has no verdict, and says at which seeds.
func TestALotThatDoesNotEndIsGivenUp(t *testing.T) {
	address, dir := freePort(t), t.TempDir()
	keepAlive(t, func() *exec.Cmd { return simrun(t, "fleet", "--dir", dir, "serve", "--listen", address) })
	keepAlive(t, func() *exec.Cmd {
		return simrun(t, "fleet", "--nats", "nats://"+address, "work", "--one", "--hang", "1s")
	})
	time.Sleep(time.Second)
	c := simrun(t, "fleet", "--nats", "nats://"+address, "run", "test-spins", "--seeds", "30000")
	out, err := c.CombinedOutput()
	require.Error(t, err)
	require.Equal(t, 3, c.ProcessState.ExitCode(), "%s", out)
	require.Regexp(t, `test-spins: no end of the seeds from \d+ on in 1s of processor time`, string(out))
}

// TestAFullDiskDelaysOnly: with room again the server takes what it could not, without a person.
func TestAFullDiskDelaysOnly(t *testing.T) {
	dir := t.TempDir()
	if err := exec.Command("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", dir).Run(); err != nil {
		t.Skip("only root can mount a small disk: ", err)
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", dir).Run() })
	address := freePort(t)
	keepAlive(t, func() *exec.Cmd { return simrun(t, "fleet", "--dir", dir, "serve", "--listen", address) })
	keepAlive(t, func() *exec.Cmd { return simrun(t, "fleet", "--nats", "nats://"+address, "work", "--one") })
	time.Sleep(time.Second)
	room := filepath.Join(dir, "room")
	full := time.AfterFunc(time.Second, func() { _ = exec.Command("dd", "if=/dev/zero", "of="+room, "bs=1k").Run() })
	defer full.Stop()
	time.AfterFunc(8*time.Second, func() { _ = os.Remove(room) })
	began := time.Now()
	requireUndisturbed(t, answer(t, simrun(t, append([]string{"fleet", "--nats", "nats://" + address}, asked...)...)))
	require.Greater(t, time.Since(began), 7*time.Second, "the disk was not full")
}

// TestAnotherBuildTakesNoLots: its runs may be others.
func TestAnotherBuildTakesNoLots(t *testing.T) {
	h := &host{dir: t.TempDir(), listen: "127.0.0.1:0"}
	require.NoError(t, h.start())
	defer h.stop()
	url := h.now.ClientURL()
	c, err := connect(t.Context(), &server{url: url})
	require.NoError(t, err)
	defer c.conn.Close()
	mine := &job{Build: c.build, Scenario: "issue-15220", Strategy: "portfolio", Seeds: 64, Batches: 1}
	other := *mine
	other.Build = "000000000000"
	require.NotEqual(t, mine.id(), other.id())
	for _, j := range []*job{mine, &other} {
		text, err := json.Marshal(j)
		require.NoError(t, err)
		_, err = c.jobs.Create(t.Context(), j.id(), text)
		require.NoError(t, err)
		require.NoError(t, (&waiting{client: c, job: j, id: j.id(), complain: t.Logf, missing: map[uint64]bool{0: true, 1: true}}).send(t.Context()))
	}
	work := simrun(t, "fleet", "--nats", url, "work", "--one")
	in, err := work.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, work.Start())
	var states map[string]string
	require.Eventually(t, func() bool {
		all, _, err := c.status(t.Context())
		require.NoError(t, err)
		states = map[string]string{}
		for _, j := range all {
			states[j.Job] = fmt.Sprintf("%s, %d of %d", j.State, j.Done, j.Lots)
		}
		return strings.HasPrefix(states[mine.id()], "done")
	}, 20*time.Second, 50*time.Millisecond)
	require.Equal(t, "done, 2 of 2", states[mine.id()])
	require.Equal(t, "queued, 0 of 2", states[other.id()])
	require.NoError(t, in.Close())
	require.NoError(t, work.Wait(), "a worker ends with its parent")
	idle := simrun(t, "fleet", "--nats", url, "work", "--cores", "2", "--idle", "100ms")
	require.NoError(t, idle.Run(), "idle workers end, and are not started again")
}

func TestBadFleets(t *testing.T) {
	for _, x := range []struct {
		args []string
		says string
	}{
		{[]string{"fleet", "--nats", "nats://127.0.0.1:1", "run", "issue-15220"}, "no NATS server at nats://127.0.0.1:1"},
		{[]string{"fleet", "--nats", "nats://127.0.0.1:1", "work"}, "start one with `simrun fleet serve`"},
		{[]string{"fleet", "--local", "run", "issue-15220", "--for", "1s"}, "give --seeds, and no --for"},
		{[]string{"fleet", "work", "--cores", "0"}, "--cores 0: want 1 to 1024"},
		{[]string{"fleet", "serve", "--listen", "here"}, "--listen here: want HOST:PORT"},
		{[]string{"fleet", "serve", "--config", "none.conf"}, "none.conf"},
		{[]string{"fleet", "--creds", "none.creds", "status"}, "none.creds"},
		{[]string{"fleet", "run", "issue-15220", "--seed", "3"}, "unknown flag: --seed"},
		{[]string{"fleet", "runs"}, `unknown command "runs"`},
		{[]string{"fleet", "stop"}, "accepts 1 arg"},
	} {
		t.Run(strings.Join(x.args, " "), func(t *testing.T) {
			c := simrun(t, x.args...)
			out, err := c.CombinedOutput()
			require.Error(t, err)
			require.Contains(t, string(out), x.says)
			require.LessOrEqual(t, strings.Count(string(out), "\n"), 3, "%s", out)
		})
	}
}
