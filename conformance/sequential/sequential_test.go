package sequential_test

import (
	"flag"
	"testing"

	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/conformance/sequential"
)

var (
	count = flag.Int("sequences", 100, "sequences of requests to compare on each version")
	first = flag.Uint64("sequences.first", 1, "seed of the first sequence")
)

// The simulated server of a version answers as the real one does.
func TestRealServersAnswerAlike(t *testing.T) {
	for _, version := range realetcd.Compared() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			c, err := sequential.New(realetcd.StartForTest(t, version))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			for i := range *count {
				if err := c.Sequence(t.Context(), *first+uint64(i)); err != nil {
					t.Fatal(err)
				}
			}
			t.Logf("etcd %s: %s", version, &c.Tally)
			for _, d := range c.Tally.Differences {
				t.Error(d)
			}
		})
	}
}
