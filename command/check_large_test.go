package command

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/model"
)

var (
	largeOut        = flag.String("large.out", "", "folder to which TestCheckLargeHistories writes the histories that it checks, and checks none")
	largeOperations = flag.Int("large.operations", 1_000_000, "how many operations BenchmarkCheckLarge and -large.out have in a history, and how many objects in a LIST")
	largeCheck      = flag.String("large.check", "", "file that TestCheckLargeListInBoundedMemory checks, to print the most memory that its process had")
)

// largeFile is a file that a large history is written to, and what check makes of it.
type largeFile struct {
	name string
	code int
}

// largeHistories have many operations, largeLists one LIST of many objects in an audit log.
var (
	largeHistories = []largeFile{{"holds.jsonl", exitHolds}, {"violated.jsonl", exitViolated}}
	largeLists     = []largeFile{{"list.log", exitHolds}, {"stale-list.log", exitViolated}}
)

// writeLargeHistories writes them to a folder.
func writeLargeHistories(t testing.TB, folder string, operations int) {
	h := makeLargeHistory(operations)
	writeHistory(t, filepath.Join(folder, "holds.jsonl"), h)
	require.NoError(t, spoil(h))
	writeHistory(t, filepath.Join(folder, "violated.jsonl"), h)
}

func writeLargeLists(t testing.TB, folder string, objects int) {
	for _, l := range largeLists {
		f, err := os.Create(filepath.Join(folder, l.name))
		require.NoError(t, err)
		require.NoError(t, writeLargeList(f, objects, l.code == exitViolated))
		require.NoError(t, f.Close())
	}
}

func writeHistory(t testing.TB, name string, h *model.History) {
	f, err := os.Create(name)
	require.NoError(t, err)
	require.NoError(t, history.Write(f, h))
	require.NoError(t, f.Close())
}

// TestCheckLargeHistories keeps what BenchmarkCheckLarge measures from going wrong unseen.
func TestCheckLargeHistories(t *testing.T) {
	if *largeOut != "" {
		writeLargeHistories(t, *largeOut, *largeOperations)
		writeLargeLists(t, *largeOut, *largeOperations)
		return
	}
	c := command(t)
	writeLargeHistories(t, c.dir, testsize.Of(50_000, 2_000))
	for _, h := range largeHistories {
		require.Equal(t, h.code, c.run("check", h.name), "%s: %s%s", h.name, c.out, c.err)
		require.Contains(t, c.out, "watchers\n")
		require.NotContains(t, c.out, "linearizable       unknown")
		if h.code == exitHolds {
			require.NotContains(t, c.out, "unknown")
		}
	}
}

// listBytes is the most memory that one object of a LIST may take: 1.5 KB is what a million fit in
// 2 GB with, and room to spare for what else there is.
const listBytes = 1500

// TestCheckLargeListInBoundedMemory: a LIST of a million objects is checked within 2 GB, and so is
// a stale one. Each is checked in a process of its own: the memory of an earlier test does not
// count.
func TestCheckLargeListInBoundedMemory(t *testing.T) {
	if *largeCheck != "" {
		c := command(t)
		fmt.Printf("code %d, %d KB\n", c.run("check", *largeCheck), peakKB(t))
		return
	}
	if runtime.GOOS != "linux" {
		t.Skip("the most memory that a process had is read from /proc")
	}
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("the race detector keeps three times the memory")
	}
	objects := testsize.Of(200_000, 50_000)
	folder := t.TempDir()
	writeLargeLists(t, folder, 0)
	var codes [2]int
	var empty, full [2]int
	check := func(into *[2]int) {
		for i, l := range largeLists {
			again := exec.Command(os.Args[0], "-test.run=^TestCheckLargeListInBoundedMemory$", "-large.check="+filepath.Join(folder, l.name))
			// How much garbage there is beside what is in use depends on what else the machine does. Near the limit it
			// is collected.
			again.Env = append(os.Environ(), fmt.Sprintf("GOMEMLIMIT=%d", objects*listBytes*4/5))
			output, err := again.Output()
			require.NoError(t, err, string(output))
			_, err = fmt.Sscanf(string(output), "code %d, %d KB", &codes[i], &into[i])
			require.NoError(t, err, string(output))
			require.Equal(t, l.code, codes[i], l.name)
		}
	}
	check(&empty)
	writeLargeLists(t, folder, objects)
	check(&full)
	for i, l := range largeLists {
		each := (full[i] - empty[i]) * 1024 / objects
		t.Logf("%s: %d bytes for each of %d objects", l.name, each, objects)
		require.Less(t, each, listBytes, l.name)
	}
}

// peakKB is the most memory that this process had since its program was started. What getrusage
// says begins with what the process had that started this one.
func peakKB(t *testing.T) (peak int) {
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	_, after, found := strings.Cut(string(status), "VmHWM:")
	require.True(t, found, string(status))
	_, err = fmt.Sscan(after, &peak)
	require.NoError(t, err)
	return peak
}

// BenchmarkCheckLarge is the whole command on large histories, and on large LISTs of audit logs:
//
//	go test ./command -run '^$' -bench CheckLarge -benchtime 3x -timeout 1h
//
// peak-MB is the most memory that it had resident, cpu-s the seconds of all its cores.
func BenchmarkCheckLarge(b *testing.B) {
	folder := b.TempDir()
	simrun := filepath.Join(folder, "simrun")
	output, err := exec.Command("go", "build", "-o", simrun, "../cmd/simrun").CombinedOutput()
	require.NoError(b, err, string(output))
	// A process that starts another one lends it its peak of memory, so that this one has to
	// stay small.
	writer := exec.Command(os.Args[0], "-test.run=^TestCheckLargeHistories$", "-large.out="+folder, fmt.Sprint("-large.operations=", *largeOperations))
	output, err = writer.CombinedOutput()
	require.NoError(b, err, string(output))
	for _, h := range slices.Concat(largeHistories, largeLists) {
		b.Run(h.name, func(b *testing.B) {
			var cpu time.Duration
			peak := int64(0)
			for b.Loop() {
				check := exec.Command(simrun, "check", filepath.Join(folder, h.name))
				output, _ := check.CombinedOutput()
				require.Equal(b, h.code, check.ProcessState.ExitCode(), string(output))
				cpu += check.ProcessState.UserTime() + check.ProcessState.SystemTime()
				peak = max(peak, check.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
			}
			seconds := b.Elapsed().Seconds() / float64(b.N)
			b.ReportMetric(cpu.Seconds()/float64(b.N), "cpu-s")
			b.ReportMetric(float64(peak)/1024, "peak-MB")
			b.ReportMetric(float64(*largeOperations)/seconds, "operations/s")
		})
	}
}
