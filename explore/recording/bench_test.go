package recording_test

import (
	"context"
	"testing"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/internal/toys"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
)

// BenchmarkFollow is a run of 250 choices that follows a recording, which is
// parsed anew: more than the cost of one candidate while shrinking.
func BenchmarkFollow(b *testing.B) {
	r := explore.NewRunner(&toys.Echo{}, 0)
	rec, _ := recording.RecordSeed(r, strategy.Random(), 1)
	b.ReportAllocs()
	for b.Loop() {
		f, err := recording.NewFollower(rec)
		if err != nil {
			b.Fatal(err)
		}
		r.Run(f)
	}
}

// BenchmarkShrink reports how many candidates a second it tries.
func BenchmarkShrink(b *testing.B) {
	r := explore.NewRunner(newCounter(), 0)
	rec := failing(b, r)
	runs := 0
	b.ReportAllocs()
	for b.Loop() {
		s, err := recording.Shrink(context.Background(), r, rec, rec.Violations()[0], 0)
		if err != nil {
			b.Fatal(err)
		}
		runs += s.Runs
	}
	b.ReportMetric(float64(runs)/b.Elapsed().Seconds(), "runs/s")
}
