package designs

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/scenarios"
)

// How many seeds are carried out: README.md has what came of 1,000.
var determinismSeeds = flag.Int("determinism.seeds", 12, "seeds of TestRunsAreTheSameInEachProcessAndOrder")

// inProcess is set in the processes that carry out the seeds: the order in which they do.
const inProcess = "WATCHBED_DETERMINISM"

// deterministic are the programs that the seeds run.
var deterministic = []struct{ name, cache, etcd string }{
	{"cacher", "kubernetes@v0.37.2", "3.6.16"},
	{"cacher that gives way at locks", "kubernetes@v0.37.2:locks", "3.6.16"},
	{"cacher whose goroutines are late", "kubernetes@v0.37.2:late", "3.6.16"},
	{"cacher whose goroutines are late and give way at locks", "kubernetes@v0.37.2:locks:late", "3.6.16"},
	{"cacher and etcd", "kubernetes@v0.37.2", "etcd@v3.5.35"},
	{"cacher and etcd that give way at locks", "kubernetes@v0.37.2:locks", "etcd@v3.5.35:locks"},
}

// TestRunsAreTheSameInEachProcessAndOrder: each seed is carried out twice in each of two processes, of which one goes
// through the seeds from the last to the first. The hash of a run covers each message, each choice and each time of the
// clock.
func TestRunsAreTheSameInEachProcessAndOrder(t *testing.T) {
	for _, of := range deterministic {
		t.Run(of.name, func(t *testing.T) {
			if order := os.Getenv(inProcess); order != "" {
				carryOut(t, of.cache, of.etcd, order == "backwards")
				return
			}
			forwards, backwards := hashes(t, t.Name(), "forwards"), hashes(t, t.Name(), "backwards")
			slices.Reverse(backwards)
			require.Len(t, forwards, *determinismSeeds)
			require.Equal(t, forwards, backwards)
			require.Len(t, distinct(forwards), *determinismSeeds, "all seeds take courses of their own")
		})
	}
}

// carryOut prints each seed and the hash of its run. Two runs of one seed in one process must be the same.
func carryOut(t *testing.T, cache, etcd string, backwards bool) {
	sc := scenarios.Issue15220
	p := sc.Params
	require.NoError(t, p.Set("cache", cache))
	require.NoError(t, p.Set("etcd", etcd))
	require.NoError(t, p.Set("version-check", "none"))
	system, err := sc.New(p)
	require.NoError(t, err)
	runner := explore.NewRunner(system, p.Clock.Steps)
	for i := range *determinismSeeds {
		seed := uint64(i)
		if backwards {
			seed = uint64(*determinismSeeds - 1 - i)
		}
		first, _ := recording.RecordSeed(runner, strategy.Default(), seed)
		again, _ := recording.RecordSeed(runner, strategy.Default(), seed)
		require.Equal(t, first.Choices, again.Choices)
		require.Equal(t, first.TraceHash, again.TraceHash)
		fmt.Printf("%s%d %s %d choices\n", carriedOut, seed, first.TraceHash, len(first.Choices))
	}
}

// carriedOut is how a line of carryOut begins.
const carriedOut = "seed "

// hashes are the lines of a process that carries out the seeds.
func hashes(t *testing.T, test, order string) []string {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^"+strings.ReplaceAll(test, "/", "$/^")+"$", fmt.Sprintf("-determinism.seeds=%d", *determinismSeeds))
	c.Env = append(os.Environ(), inProcess+"="+order)
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	var lines []string
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		if strings.HasPrefix(s.Text(), carriedOut) {
			lines = append(lines, s.Text())
		}
	}
	return lines
}

func distinct(lines []string) map[string]bool {
	hashes := map[string]bool{}
	for _, line := range lines {
		hashes[strings.Fields(line)[2]] = true
	}
	return hashes
}
