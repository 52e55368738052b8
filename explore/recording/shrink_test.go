package recording_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/internal/toys"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

func shrunk(t testing.TB, subject func() explore.Subject) *recording.Shrunk {
	t.Helper()
	r := explore.NewRunner(subject(), 0)
	rec := failing(t, r)
	start := time.Now()
	s, err := recording.Shrink(context.Background(), r, rec, rec.Violations()[0], 0)
	require.NoError(t, err)
	t.Logf("%d -> %d steps, %d runs, %v", s.Before, s.After, s.Runs, time.Since(start).Round(time.Microsecond))
	for _, c := range s.Recording.Choices {
		t.Log(c)
	}
	require.Equal(t, rec.Violations(), s.Recording.Violations())
	require.Equal(t, rec.Seed, s.Recording.Seed)
	require.Equal(t, rec.Strategy, s.Recording.Strategy)
	require.Equal(t, rec.Parameters, s.Recording.Parameters)
	_, err = recording.Replay(explore.NewRunner(subject(), 0), s.Recording)
	require.NoError(t, err)
	again, err := recording.Shrink(context.Background(), explore.NewRunner(subject(), 0), rec, rec.Violations()[0], 0)
	require.NoError(t, err)
	require.Equal(t, s, again, "shrinking is deterministic")
	return s
}

// The shortest way to lose an update: both ask, both are answered, both write.
func TestShrinkUntimed(t *testing.T) {
	s := shrunk(t, newCounter)
	require.True(t, s.Complete)
	require.Equal(t, 8, s.After)
	require.Greater(t, s.Before, 50)
}

// TestShrinkManySeeds: wherever it begins, it comes to one of the shortest runs,
// or nearly, with the first answer to every question and few turns from one
// client to another.
func TestShrinkManySeeds(t *testing.T) {
	r := explore.NewRunner(newCounter(), 0)
	runs, shrunk, after, allTurns := 0, 0, 0, 0
	for seed := range uint64(60) {
		rec, _ := recording.RecordSeed(r, strategy.Random(), seed)
		if len(rec.Violations()) == 0 {
			continue
		}
		s, err := recording.Shrink(context.Background(), r, rec, rec.Violations()[0], 0)
		require.NoError(t, err)
		after += s.After
		for _, c := range s.Recording.Choices {
			require.False(t, strings.HasPrefix(c, "choose ") && !strings.Contains(c, "=0/"), "seed %d: %s", seed, c)
		}
		runs += s.Runs
		allTurns += turns(s.Recording)
		shrunk++
	}
	mean := func(n int) float64 { return float64(n) / float64(shrunk) }
	t.Logf("means of %d: %.2f steps, %.2f turns, %.0f runs", shrunk, mean(after), mean(allTurns), mean(runs))
	require.Less(t, mean(after), 8.5, "nearly always the shortest")
	require.Less(t, mean(allTurns), 7.0)
	require.Less(t, mean(runs), 140.0)
}

// turns is how often a recording goes from one client to another.
func turns(rec *recording.Recording) int {
	n := 0
	for i, c := range rec.Choices {
		if i > 0 && client(c) != client(rec.Choices[i-1]) {
			n++
		}
	}
	return n
}

// client is the client to whose operation a choice belongs.
func client(choice string) string {
	f := strings.Fields(choice)
	return f[len(f)-1][:1]
}

// Timed, a run cannot leave an event out: what does not matter can only come
// late, after the violation. The shortest has 8 steps here too.
func TestShrinkTimed(t *testing.T) {
	shrunk(t, newTimedCounter)
	r := explore.NewRunner(newTimedCounter(), 0)
	var after, before []int
	for seed := range uint64(100) {
		rec, _ := recording.RecordSeed(r, strategy.Random(), seed)
		if len(rec.Violations()) == 0 {
			continue
		}
		s, err := recording.Shrink(context.Background(), r, rec, rec.Violations()[0], 0)
		require.NoError(t, err)
		before, after = append(before, s.Before), append(after, s.After)
	}
	slices.Sort(before)
	slices.Sort(after)
	most := after[len(after)*9/10]
	t.Logf("medians of %d: %d -> %d steps; %d in 9 of 10", len(after), before[len(before)/2], after[len(after)/2], most)
	require.Equal(t, 8, after[len(after)/2])
	require.LessOrEqual(t, most, 12, "1.5 times the shortest")
}

// endJudge judges only runs that are over.
type endJudge struct{ *toys.Counter }

func (s *endJudge) Judge(w *sim.World) []explore.Finding {
	list := s.Counter.Judge(w)
	if !s.Over(w) {
		list[0].Verdict, list[0].Label = model.VerdictUnknown, ""
	}
	return list
}

func TestShrinkAViolationThatShowsAtTheEndOnly(t *testing.T) {
	s := shrunk(t, func() explore.Subject { return &endJudge{toys.NewCounter()} })
	require.LessOrEqual(t, s.After, s.Before)
	require.Less(t, s.Runs, 1000)
	// The default fires timers only when nothing else can happen, so that a
	// departure shows as a timer that fires while an answer is under way.
	early, underWay := 0, 0
	for _, c := range s.Recording.Choices {
		switch {
		case strings.HasPrefix(c, "fire ") && underWay > 0:
			early++
			underWay++
		case strings.HasPrefix(c, "fire "):
			underWay++
		case strings.HasPrefix(c, "choose "):
			underWay--
		}
	}
	require.LessOrEqual(t, early, 3)
}

func TestShrinkRefusesARecordingThatDoesNotFail(t *testing.T) {
	r := explore.NewRunner(newCounter(), 0)
	rec := failing(t, r)
	_, err := recording.Shrink(context.Background(), r, rec, explore.Failure{Property: "counts", Label: "else"}, 0)
	require.EqualError(t, err, "the recording does not fail in this way: counts (else)")
	rec.Choices[0] = "run no thing"
	_, err = recording.Shrink(context.Background(), r, rec, explore.Failure{Property: "counts", Label: "lost update"}, 0)
	require.ErrorContains(t, err, "choice 1")
}

func TestShrinkWithinABoundOnRuns(t *testing.T) {
	r := explore.NewRunner(newCounter(), 0)
	rec := failing(t, r)
	s, err := recording.Shrink(context.Background(), r, rec, rec.Violations()[0], 20)
	require.NoError(t, err)
	require.False(t, s.Complete)
	require.Equal(t, 20, s.Runs)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s, err = recording.Shrink(ctx, r, rec, rec.Violations()[0], 0)
	require.NoError(t, err)
	require.False(t, s.Complete)
}
