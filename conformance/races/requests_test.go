package races_test

import (
	"flag"
	"testing"

	"github.com/watchbed/watchbed/conformance/races"
	"github.com/watchbed/watchbed/conformance/realetcd"
	_ "github.com/watchbed/watchbed/knownbugs"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/option"
)

var (
	sequences     = flag.Int("sequences", 100, "sequences of requests to compare on each version")
	firstSequence = flag.Uint64("sequences.first", 1, "seed of the first sequence")
)

// The simulated server of a version answers as the real one does.
func TestRealServersAnswerAlike(t *testing.T) {
	for _, version := range realetcd.Compared() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			got := compareAnswers(t, version, *sequences)
			t.Logf("etcd %s: %s", version, got)
			for _, d := range got.Differences {
				t.Error(d)
			}
			if o, _ := etcd.OptionsOf(version); (got.Exits > 0) != o.Store.LosesRecreated {
				t.Errorf("%d of %d requests have had the server exit", got.Exits, got.Requests)
			}
			if got.Unstable == 0 {
				t.Errorf("no range of %d requests was sorted unstably", got.Requests)
			}
			for what, n := range map[string]int{
				"refused": got.Refused, "nested": got.Nested, "about leases": got.Leases, "that keep something": got.Kept,
			} {
				if n*100 < got.Requests {
					t.Errorf("%d of %d requests %s, want 1 %%", n, got.Requests, what)
				}
			}
		})
	}
}

// What a server answers wrongly is noticed soon.
func TestWrongAnswersAreNoticed(t *testing.T) {
	for _, answers := range []string{"deletes-count-one", "new-value-as-previous", "count-of-selection", "requested-revision"} {
		t.Run(answers, func(t *testing.T) {
			got := compareAnswers(t, realetcd.Versions()[0], 20, option.Setting{Name: "answers", Value: answers})
			t.Logf("%s: %s", answers, got)
			if len(got.Differences) == 0 {
				t.Errorf("no difference in %d requests", got.Requests)
			}
		})
	}
}

// compareAnswers compares sequences of requests with a simulated server of the version that has
// some options set.
func compareAnswers(t *testing.T, version string, sequences int, settings ...option.Setting) *races.RequestTally {
	t.Helper()
	// Everything is committed to the backend at once, so that a server that exits has it.
	server := realetcd.StartForTest(t, version, "--backend-batch-limit=1")
	cfg, err := etcd.DefaultConfig(version)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range settings {
		if cfg.Options, err = cfg.Options.With(s.Name, s.Value); err != nil {
			t.Fatal(err)
		}
	}
	c, err := races.NewComparison(server, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for i := range sequences {
		if err := c.Sequence(t.Context(), *firstSequence+uint64(i)); err != nil {
			t.Fatal(err)
		}
	}
	return &c.Tally
}
