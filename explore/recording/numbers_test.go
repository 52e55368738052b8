package recording_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
)

// TestNumbersAreTheSameRun: a run that is written down by numbers is recorded again with the same choices.
func TestNumbersAreTheSameRun(t *testing.T) {
	for name, subject := range map[string]func() explore.Subject{"untimed": newCounter, "timed": newTimedCounter} {
		t.Run(name, func(t *testing.T) {
			r := explore.NewRunner(subject(), 0)
			for seed := range uint64(20) {
				rec, _ := recording.RecordSeed(r, strategy.Default(), seed)
				numbers, err := recording.Numbers(r, rec)
				require.NoError(t, err)
				require.Less(t, len(numbers), 2*len(rec.Choices)+4)
				again, _, err := recording.FromNumbers(explore.NewRunner(subject(), 0), numbers, rec.TraceHash)
				require.NoError(t, err)
				require.Equal(t, rec.Choices, again.Choices)
			}
		})
	}
}

// TestNumbersOfAnotherProgram: each number that was changed is found out, most of them by the choice at which it is.
func TestNumbersOfAnotherProgram(t *testing.T) {
	r := explore.NewRunner(newCounter(), 0)
	rec, _ := recording.RecordSeed(r, strategy.Random(), 3)
	numbers, err := recording.Numbers(r, rec)
	require.NoError(t, err)
	tried, named := 0, 0
	for i := 1; i <= len(rec.Choices); i++ {
		for place := range byte(4) {
			other := slices.Clone(numbers)
			if other[i] == place {
				continue
			}
			other[i] = place
			_, _, err := recording.FromNumbers(r, other, rec.TraceHash)
			require.Error(t, err, "choice %d", i)
			tried++
			if _, mismatch := err.(*recording.TraceMismatch); !mismatch {
				named++
			}
		}
	}
	require.Greater(t, 10*named, 9*tried, "%d of %d", named, tried)
	for _, cut := range []int{0, 1, len(numbers) / 2, len(numbers) - 1} {
		_, _, err := recording.FromNumbers(r, numbers[:cut], rec.TraceHash)
		require.ErrorContains(t, err, "cut off", "behind %d bytes", cut)
	}
	_, _, err = recording.FromNumbers(r, append(slices.Clone(numbers), 0), rec.TraceHash)
	require.ErrorContains(t, err, "cut off")
}
