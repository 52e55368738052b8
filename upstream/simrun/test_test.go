package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ownTests is a module without dependencies. Its tests are about what Go leaves open, and about what a test can do.
var ownTests = map[string]string{
	"go.mod": "module example.org/own\n\ngo 1.26.0\n\nrequire example.org/foreign v0.0.0\n\nreplace example.org/foreign => ./foreign\n",
	"own_test.go": `package own

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestOrder(t *testing.T) {
	var all sync.WaitGroup
	var mu sync.Mutex
	for i := range 8 {
		all.Go(func() { mu.Lock(); fmt.Print(i, " "); mu.Unlock() })
	}
	all.Wait()
	for k := range map[int]int{1: 1, 2: 2, 3: 3, 4: 4} {
		fmt.Print(k, " ")
	}
	fmt.Println(rand.Int(), rand.Int())
}

func TestFiles(t *testing.T) {
	text, err := os.ReadFile("go.mod")
	if err != nil || len(text) == 0 {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(t.TempDir(), "written"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("written", text, 0o644); err == nil {
		t.Fatal("the folder of the package can be written")
	}
}

func TestSpins(t *testing.T) {
	for i := 0; ; i++ {
		if i < 0 {
			t.Log(i)
		}
	}
}

func TestWaitsForEver(t *testing.T) { select {} }

func TestArgument(t *testing.T) { t.Fatal(os.Args[len(os.Args)-1]) }
`,
	"foreign/go.mod":     "module example.org/foreign\n\ngo 1.26.0\n",
	"foreign/foreign.go": "package foreign\n\nimport \"syscall\"\n\nvar Lock = syscall.Flock\n",
	"foreign_test.go":    "//go:build foreign\n\npackage own\n\nimport _ \"example.org/foreign\"\n",
	"yours.go.txt":       "package foreign\n",
	"plain/plain.go":     "package plain\n",
}

// TestRunsATest: two runs of a test binary are one, and what is wrong is said in one line.
func TestRunsATest(t *testing.T) {
	folder := t.TempDir()
	for name, text := range ownTests {
		file := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	code, first, complaint := run(t, folder, "test", "-run", "Order|Files")
	require.Equal(t, exitHolds, code, "%s%s", first, complaint)
	_, second, _ := run(t, folder, "test", ".", "--run", "Order|Files")
	assert.Equal(t, first, second)
	assert.False(t, strings.HasPrefix(first, "0 1 2 3 4 5 6 7 "), "goroutines run in the order in which they are created")

	for _, x := range []struct {
		arguments []string
		code      int
		says      string
	}{
		{[]string{"-run", "WaitsForEver"}, exitViolated, "all goroutines wait, and nothing is left that could wake one"},
		{[]string{"-run", "Spins"}, exitViolated, "it spins: 4294967296 rounds of loops in one step, and it does not wait (in own.TestSpins, called by "},
		{[]string{"-run", "Argument", "-args", "-behind"}, exitViolated, "-behind"},
		{[]string{"-tags", "foreign"}, exitUsage, "example.org/foreign does not compile for wasip1: foreign/foreign.go:5:20: undefined: syscall.Flock; imported by example.org/own > example.org/own.test; if that is no part of the test, -stand-in example.org/foreign/FILE.go=YOURS.go takes another file in its place"},
		{[]string{"-tags", "foreign", "-run", "Files", "-stand-in", "example.org/foreign/foreign.go=" + filepath.Join(folder, "yours.go.txt")}, exitHolds, "PASS"},
		{[]string{"-stand-in", "foreign.go"}, exitUsage, "--stand-in foreign.go: want PACKAGE/FILE.go=YOURS.go"},
		{[]string{"foreign"}, exitUsage, "./foreign.go:5:20: undefined: syscall.Flock"},
		{[]string{"plain"}, exitUsage, "has no tests"},
		{[]string{"nowhere"}, exitUsage, "test nowhere: there is no such folder"},
	} {
		code, out, complaint := run(t, folder, append([]string{"test"}, x.arguments...)...)
		assert.Equal(t, x.code, code, "%v: %s", x.arguments, complaint)
		assert.Contains(t, out+complaint, x.says, "%v", x.arguments)
	}
}

// TestAScheduleFailsEachTime: a failing schedule of many fails in the same way alone, in a process of its own. Natively it
// need not.
func TestAScheduleFailsEachTime(t *testing.T) {
	t.Setenv("WRONG", "trusts-created")
	tell := func() string {
		code, out, complaint := run(t, "../../examples", "test", "./watchcache", "-run", "^TestWrong$")
		require.Equal(t, exitViolated, code, "%s%s", out, complaint)
		return out
	}
	among := tell()
	require.Contains(t, among, "20 of 20 repetitions of this fail; of 25 schedules ")
	require.Regexp(t, `with goroutines in another order in \d+ of 20`, among)
	_, seed, _ := strings.Cut(among, "run it alone: ETCDTEST_SEED=")
	seed, _, _ = strings.Cut(seed, " simrun test ./watchcache -run '^TestWrong$'")
	t.Setenv("ETCDTEST_SEED", seed)
	alone := tell()
	story := func(of string) string {
		_, of, _ = strings.Cut(of, "the cache is not ")
		of, _, _ = strings.Cut(of, "20 of 20 repetitions")
		return of
	}
	assert.NotEmpty(t, story(among))
	assert.Equal(t, story(among), story(alone))
}

// orders prints a line a schedule: which map entry comes first, and the order of goroutines before and behind a request.
const orders = `package own

import (
	"fmt"
	"sync"
	"testing"

	"github.com/watchbed/watchbed/etcdtest"
)

func TestOrders(t *testing.T) {
	etcdtest.Run(t, etcdtest.Config{Schedules: 4}, func(t *etcdtest.T) {
		said := "order:"
		for k := range map[int]int{1: 1, 2: 2, 3: 3, 4: 4} {
			said += fmt.Sprint(" ", k)
		}
		come := make(chan int, 8)
		for range 2 {
			for i := range 8 {
				go func() { come <- i }()
			}
			for range 8 {
				said += fmt.Sprint(" ", <-come)
			}
			_, _ = t.Client().Put(t.Context(), "/a", "1")
		}
		fmt.Println(said)
	})
}

// waker wakes a reader that waits already: one that is about to wait misses it.
type waker struct {
	mu    sync.Mutex
	ready bool
	wake  chan struct{}
}

func (w *waker) wait() {
	w.mu.Lock()
	ready := w.ready
	w.mu.Unlock()
	if !ready {
		<-w.wake
	}
}

func (w *waker) set() {
	w.mu.Lock()
	w.ready = true
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func TestWakesUp(t *testing.T) {
	etcdtest.Run(t, etcdtest.Config{Schedules: 100, Faults: &etcdtest.Faults{}}, func(t *etcdtest.T) {
		w := &waker{wake: make(chan struct{})}
		_, _ = t.Client().Put(t.Context(), "/a", "1")
		t.Go("reader", w.wait)
		t.Go("writer", w.set)
	})
}

func TestPanics(t *testing.T) {
	etcdtest.Run(t, etcdtest.Config{Schedules: 2, Seed: 7}, func(t *etcdtest.T) {
		go func() { panic("in a goroutine") }()
		t.Client().Get(t.Context(), "/a")
	})
}
`

// TestTheFirstScheduleIsAsAnyOther: what packages do once in a process is no part of a schedule. A schedule alone is the
// first of its process.
func TestTheFirstScheduleIsAsAnyOther(t *testing.T) {
	folder := t.TempDir()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, "examples", name))
		require.NoError(t, err)
		own := strings.Replace(string(text), "watchbed => ../", "watchbed => "+root, 1)
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(own), 0o644))
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "own_test.go"), []byte(orders), 0o644))
	said := func() (lines []string) {
		code, out, complaint := run(t, folder, "test", "-v", "-run", "Orders")
		require.Equal(t, exitHolds, code, "%s%s", out, complaint)
		for line := range strings.Lines(out) {
			if strings.HasPrefix(line, "order:") {
				lines = append(lines, line)
			}
		}
		return lines
	}
	code, _, complaint := run(t, folder, "test", "-run", "Panics")
	assert.Equal(t, exitViolated, code)
	assert.Contains(t, complaint, "panic: in a goroutine\n")
	assert.Contains(t, complaint, "\nrun it alone: ETCDTEST_SEED=7 simrun test . -run '^TestPanics$'\n")
	code, out, _ := run(t, folder, "test", "-run", "WakesUp")
	assert.Equal(t, exitViolated, code)
	assert.Contains(t, out, " goroutines          reader waits, all others first\n")
	assert.Contains(t, out, "20 of 20 repetitions of this fail; of 100 schedules the test fails in ")
	assert.Contains(t, out, "told with 0 of the 0 faults that struck, and with goroutines that run first come, first served but for 1 turn that they pass; ")
	_, seed, _ := strings.Cut(out, "run it alone: ETCDTEST_SEED=")
	seed, _, _ = strings.Cut(seed, " ")
	assert.Regexp(t, `^\d+:none/[0-9a-f]{5}\.\d+$`, seed)
	t.Setenv("ETCDTEST_SEED", seed)
	code, alone, _ := run(t, folder, "test", "-run", "WakesUp")
	assert.Equal(t, exitViolated, code)
	assert.Contains(t, alone, " goroutines          reader waits, all others first\n")
	t.Setenv("ETCDTEST_SEED", "")

	among := said()
	require.Len(t, among, 5, "one is run before the first")
	for seed, line := range among[1:] {
		t.Setenv("ETCDTEST_SEED", strconv.Itoa(seed))
		alone := said()
		require.Equal(t, line, alone[len(alone)-1], "seed %d", seed)
	}
}
