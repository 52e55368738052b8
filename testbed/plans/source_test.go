package plans

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/workload"
)

// A seed gives the same requests again, others to each client and to each kind of client, and others than
// another seed.
func TestSeedGivesEachClientItsOwn(t *testing.T) {
	answers := func(seed int, k kind, i int) (all [40]int) {
		s := sourceOf(&workload.DrawnOptions{Seed: seed}, nil, k, i)
		for j := range all {
			all[j] = s.Choose(5, "anything")
		}
		return all
	}
	require.Equal(t, answers(7, ofClients, 1), answers(7, ofClients, 1))
	seen := map[[40]int]bool{}
	for _, seed := range []int{1, 2, 3} {
		for _, k := range []kind{ofReaders, ofClients, ofWatchers, ofStreams} {
			for i := range 3 {
				seen[answers(seed, k, i)] = true
			}
		}
	}
	require.Len(t, seen, 3*4*3)
}

// Each answer comes about as often as any other.
func TestSeedDrawsAllAnswers(t *testing.T) {
	s := sourceOf(&workload.DrawnOptions{Seed: 1}, nil, ofClients, 0)
	var times [5]int
	for range 5000 {
		times[s.Choose(len(times), "anything")]++
	}
	for _, n := range times {
		require.InDelta(t, 1000, n, 150)
	}
}

// Without a seed the run is asked.
func TestRunDrawsWithoutSeed(t *testing.T) {
	run := &sim.Env{}
	require.Same(t, run, sourceOf(&workload.DrawnOptions{}, run, ofClients, 0))
}
