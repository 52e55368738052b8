package testbed_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/testbed"
)

var determinismSeeds = flag.Uint64("determinism.seeds", 0, "seeds whose trace hashes are compared between processes (0: 4,000, or fewer unless tests have their full size)")

// asProcess is set in the processes that the test starts: its value is the
// number of workers.
const asProcess = "WATCHBED_HASHES"

// TestTraceHashesAreTheSameInEveryProcess: a campaign hash covers every action,
// choice, message and answer of every run. It must not depend on the process,
// on GOMAXPROCS, on the number of workers, or on -race: with -v the test prints
// it, to compare it with that of another build.
func TestTraceHashesAreTheSameInEveryProcess(t *testing.T) {
	if workers := os.Getenv(asProcess); workers != "" {
		n, err := strconv.Atoi(workers)
		require.NoError(t, err)
		fmt.Println("hashes:", hashes(t, n, *determinismSeeds))
		return
	}
	seeds := testsize.Flag(*determinismSeeds, 4_000, 400)
	want := hashes(t, 2, seeds)
	t.Logf("%d seeds: %s", seeds, want)
	for _, procs := range []string{"1", "2"} {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", fmt.Sprintf("-determinism.seeds=%d", seeds))
		cmd.Env = append(os.Environ(), asProcess+"="+procs, "GOMAXPROCS="+procs)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		_, got, found := strings.Cut(string(out), "hashes: ")
		require.True(t, found, "%s", out)
		got, _, _ = strings.Cut(got, "\n")
		require.Equal(t, want, got, "GOMAXPROCS=%s", procs)
	}
}

// hashes are the campaign hashes of all scenarios, which share the seeds.
func hashes(t *testing.T, workers int, seeds uint64) string {
	var list []string
	each := seeds / uint64(len(testbed.Scenarios()))
	for _, sc := range testbed.Scenarios() {
		subjects, err := sc.Subjects(sc.Params)
		require.NoError(t, err)
		c, err := campaign.Run(t.Context(), subjects, campaign.Config{Seeds: each, Workers: workers, Steps: sc.Params.Clock.Steps})
		require.NoError(t, err)
		list = append(list, c.Hash.String())
	}
	return strings.Join(list, " ")
}
