package schedules_test

import (
	"context"
	"maps"
	"math/rand"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/prove/schedules"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/sim"
)

// A search with a bound on deviations comes to the histories of all schedules that have no more of them, to one schedule of each
// class, and to no others.
func TestDeviationsAreBoundedAsByBruteForce(t *testing.T) {
	random := rand.New(rand.NewSource(3))
	within, beyond, withheld := 0, 0, 0
	for range testsize.Of(400, 150, 150) {
		s, bound := drawPrograms(random), random.Intn(3)
		all, some, classes := map[string]bool{}, map[string]bool{}, map[string]bool{}
		b := &brute{t: t, subject: s, firings: 1, most: 1_000}
		b.ended = func(w *sim.World) {
			if b.deviations() > bound {
				beyond++
				return
			}
			within++
			all[w.Node(1).(*machine).history()], classes[b.class()] = true, true
		}
		if b.run(); b.schedules > b.most {
			continue
		}
		r, err := schedules.Search(context.Background(), s, []string{"right"}, schedules.Config{
			Firings: 1, Deviations: &bound, All: true, Ended: func(w *sim.World) { some[w.Node(1).(*machine).history()] = true },
		})
		require.NoError(t, err)
		require.Equal(t, slices.Sorted(maps.Keys(all)), slices.Sorted(maps.Keys(some)), s)
		require.Equal(t, len(classes), r.Classes, s)
		require.Zero(t, r.Redundant(), s)
		withheld += min(r.Withheld, 1)
	}
	t.Logf("%d schedules within the bound, %d beyond it, %d searches cut off", within, beyond, withheld)
	require.Greater(t, within, 1_000)
	require.Greater(t, beyond, 1_000)
	require.Greater(t, withheld, 20)
}
