package recorded_test

import (
	"testing"

	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/conformance/recorded"
	"github.com/watchbed/watchbed/internal/recordings"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
)

// What the fixtures say of one recording each, a new one has to say as well: a
// real server is linearizable, and it would have shown if it were not.
func TestServersAreLinearizableAndTamperedAnswersAreNot(t *testing.T) {
	for _, version := range realetcd.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			server := realetcd.StartForTest(t, version)
			h, err := recorded.Record(t.Context(), server, recorded.Config{
				Seed: 4, Clients: 5, PerClient: 16, Concurrent: 4, GiveUp: 2, Seeded: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			holds(t, h)
			for _, way := range recordings.Tamperings() {
				violated(t, h, way)
			}
			simrunFinds(t, []string{write(t, h)}, "holds", 0)
			simrunFinds(t, writeTampered(t, h), "violated", 1)
		})
	}
}

func holds(t *testing.T, h *model.History) {
	t.Helper()
	judge := linearizability.Judge{Operations: len(h.Operations)}
	judgements, err := judge.Check(h, nil, linearizability.Linearizable, linearizability.LinearizableData, linearizability.Sequential)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range judgements {
		if j.Verdict != model.Holds || j.By != linearizability.ByBoth {
			t.Errorf("%s: %v by %v, want holds by both: %v", j.Property, j.Verdict, j.By, j.Why)
		}
	}
}

// violated tampers with one answer after the other.
func violated(t *testing.T, h *model.History, way recordings.Tampering) {
	t.Helper()
	// Sequential violations may take porcupine too long.
	judge := linearizability.Judge{Steps: 20_000}
	tampered := 0
	for i := range h.Operations {
		wrong := way.Apply(h, i)
		if wrong == nil {
			continue
		}
		tampered++
		for _, broken := range way.Breaks {
			prop := linearizability.Property(broken)
			judgements, err := judge.Check(wrong, nil, prop)
			if err != nil {
				t.Fatal(err)
			}
			if j := judgements[0]; j.Verdict != model.Violated || j.By != linearizability.ByBoth && prop != linearizability.Sequential {
				t.Errorf("operation %d, %s: %s %v by %v, want violated by both", i, way.Name, prop, j.Verdict, j.By)
			}
		}
	}
	if tampered == 0 {
		t.Errorf("%s: nothing to tamper with", way.Name)
	}
}
