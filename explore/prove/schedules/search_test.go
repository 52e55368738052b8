package schedules_test

import (
	"context"
	"maps"
	"math/rand"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/explore/prove/schedules"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/sim"
)

func reduced(t *testing.T, s prove.Subject, firings int, ended func(*sim.World)) *schedules.Result {
	r, err := schedules.Search(context.Background(), s, []string{"right"}, schedules.Config{TimerBound: firings, All: true, Ended: ended})
	require.NoError(t, err)
	return r
}

// compare holds the search to all schedules: the same histories, and one schedule of each class.
func compare(t *testing.T, s *programs, firings int) (*schedules.Result, *brute) {
	all, some := map[string]bool{}, map[string]bool{}
	b := &brute{t: t, subject: s, firings: firings, most: 1_000, ended: func(w *sim.World) { all[w.Node(1).(*machine).history()] = true }}
	b.run()
	if b.schedules > b.most {
		return nil, b
	}
	r := reduced(t, s, firings, func(w *sim.World) { some[w.Node(1).(*machine).history()] = true })
	require.Equal(t, slices.Sorted(maps.Keys(all)), slices.Sorted(maps.Keys(some)), s)
	require.Equal(t, len(b.classes), r.Schedules.Classes, s)
	require.Zero(t, r.Schedules.Redundant, s)
	return r, b
}

func TestDrawnProgramsAreSearchedAsByBruteForce(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	schedulesOfAll, ofSome, abandoned := 0, 0, 0
	for range testsize.Of(400, 150) {
		if r, b := compare(t, drawPrograms(random), 1); r != nil {
			schedulesOfAll += b.schedules
			ofSome += r.Schedules.Complete
			abandoned += r.Schedules.Abandoned
		}
	}
	t.Logf("%d schedules, %d classes, %d abandoned", schedulesOfAll, ofSome, abandoned)
	require.Less(t, 4*ofSome, schedulesOfAll)
}
