package schedules_test

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/prove/schedules"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/sim"
)

// drawing takes any of the steps.
type drawing struct{ *rand.Rand }

func (d drawing) Pick(_ *sim.World, enabled []sim.Action) int    { return d.Intn(len(enabled)) }
func (d drawing) Choose(_ *sim.World, options int, _ string) int { return d.Intn(options) }

// Many random schedules of a small program come to all classes of the search, and to no others.
func TestAWalkCountsTheClassesOfTheSearch(t *testing.T) {
	random := rand.New(rand.NewSource(2))
	classes, all, programs := 0, 0, 0
	for range testsize.Of(100, 40) {
		s := drawPrograms(random)
		r, b := compare(t, s, 1)
		if r == nil || b.schedules > 100 {
			continue
		}
		walk := schedules.NewWalk(s, 1)
		for range 100 * b.schedules {
			require.True(t, walk.Take(drawing{random}), s)
			require.True(t, r.CameTo(walk.Last()), s)
		}
		require.LessOrEqual(t, walk.Classes(), r.Schedules.Classes, s)
		programs++
		classes += walk.Classes()
		all += r.Schedules.Classes
	}
	t.Logf("%d of %d classes of %d programs", classes, all, programs)
	require.Greater(t, all, 2*programs, "programs with several classes")
	require.Greater(t, 100*classes, 99*all, "a rare one may be missed")
}
