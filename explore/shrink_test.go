package explore_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

func shrunk(t testing.TB, subject func() explore.Subject) *explore.Shrunk {
	t.Helper()
	r := explore.NewRunner(subject(), 0)
	rec := failing(t, r)
	start := time.Now()
	s, err := explore.Shrink(context.Background(), r, rec, rec.Violations()[0], 0)
	require.NoError(t, err)
	t.Logf("%d -> %d steps, %d runs, %v", s.Before, s.After, s.Runs, time.Since(start).Round(time.Microsecond))
	for _, c := range s.Recording.Choices {
		t.Log(c)
	}
	require.Equal(t, rec.Violations(), s.Recording.Violations())
	require.Equal(t, rec.Seed, s.Recording.Seed)
	require.Equal(t, rec.Parameters, s.Recording.Parameters)
	_, err = explore.Replay(explore.NewRunner(subject(), 0), s.Recording)
	require.NoError(t, err)
	again, err := explore.Shrink(context.Background(), explore.NewRunner(subject(), 0), rec, rec.Violations()[0], 0)
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

func TestShrinkTimed(t *testing.T) {
	s := shrunk(t, newTimedCounter)
	require.Less(t, s.After, s.Before)
}

// endJudge judges only runs that are over.
type endJudge struct{ *counter }

func (s *endJudge) Judge(w *sim.World) []explore.Finding {
	list := s.counter.Judge(w)
	if !s.Over(w) {
		list[0].Verdict, list[0].Label = model.Undecided, ""
	}
	return list
}

func TestShrinkWhatShowsAtTheEndOnly(t *testing.T) {
	s := shrunk(t, func() explore.Subject { return &endJudge{newCounterIn(sim.Options{})} })
	require.LessOrEqual(t, s.After, s.Before)
}

func TestShrinkRefusesWhatDoesNotFailSo(t *testing.T) {
	r := explore.NewRunner(newCounter(), 0)
	rec := failing(t, r)
	_, err := explore.Shrink(context.Background(), r, rec, explore.Failure{Property: "counts", Label: "else"}, 0)
	require.EqualError(t, err, "the recording does not fail so: counts (else)")
	rec.Choices[0] = "run no thing"
	_, err = explore.Shrink(context.Background(), r, rec, explore.Failure{Property: "counts", Label: "lost update"}, 0)
	require.ErrorContains(t, err, "choice 1")
}

func TestShrinkWithinABoundOnRuns(t *testing.T) {
	r := explore.NewRunner(newCounter(), 0)
	rec := failing(t, r)
	s, err := explore.Shrink(context.Background(), r, rec, rec.Violations()[0], 20)
	require.NoError(t, err)
	require.False(t, s.Complete)
	require.LessOrEqual(t, s.Runs, 23)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s, err = explore.Shrink(ctx, r, rec, rec.Violations()[0], 0)
	require.NoError(t, err)
	require.False(t, s.Complete)
}
