package command

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/internal/largehistory"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/model"
)

var (
	largeOut        = flag.String("large.out", "", "folder to which TestCheckLargeHistories writes the histories that it checks, and checks none")
	largeOperations = flag.Int("large.operations", 1_000_000, "how many operations BenchmarkCheckLarge and -large.out have in a history")
)

// largeHistories are the files that large histories are written to, and what check makes of
// each.
var largeHistories = []struct {
	file string
	code int
}{
	{"holds.jsonl", exitHolds},
	{"violated.jsonl", exitViolated},
}

// writeLargeHistories writes them to a folder.
func writeLargeHistories(t testing.TB, folder string, operations int) {
	h := largehistory.Make(operations)
	writeHistory(t, filepath.Join(folder, "holds.jsonl"), h)
	require.NoError(t, largehistory.Spoil(h))
	writeHistory(t, filepath.Join(folder, "violated.jsonl"), h)
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
		return
	}
	c := command(t)
	writeLargeHistories(t, c.dir, testsize.Of(50_000, 10_000, 5_000))
	for _, h := range largeHistories {
		require.Equal(t, h.code, c.run("check", h.file), "%s: %s%s", h.file, c.out, c.err)
		require.Contains(t, c.out, "watchers\n")
		require.NotContains(t, c.out, "linearizable       unknown")
		if h.code == exitHolds {
			require.NotContains(t, c.out, "unknown")
		}
	}
}

// BenchmarkCheckLarge is the whole command on large histories:
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
	for _, h := range largeHistories {
		b.Run(h.file, func(b *testing.B) {
			var cpu time.Duration
			peak := int64(0)
			for b.Loop() {
				check := exec.Command(simrun, "check", filepath.Join(folder, h.file))
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
