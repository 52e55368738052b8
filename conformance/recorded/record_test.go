package recorded_test

import (
	"math"
	"testing"

	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/conformance/recorded"
	"github.com/watchbed/watchbed/model"
)

func TestRecordedHistoryIsWellFormed(t *testing.T) {
	version := realetcd.Versions()[0]
	server := realetcd.StartForTest(t, version)
	cfg := recorded.Config{Seed: 1, Clients: 7, PerClient: 15, Concurrent: 4, GiveUp: 3, Seeded: true}
	h, err := recorded.Record(t.Context(), server, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if want := cfg.Clients*cfg.PerClient + 1; len(h.Operations) != want {
		t.Errorf("%d operations, want %d", len(h.Operations), want)
	}
	if len(h.Initial.Items) == 0 {
		t.Error("a seeded history starts with an empty store")
	}
	events := map[int64]bool{}
	event := func(at int64) {
		if events[at] {
			t.Errorf("two events at %d", at)
		}
		events[at] = true
	}
	// open is when each client's operation ends: none may start before.
	open := map[int]int64{}
	last := int64(0)
	for _, op := range h.Operations {
		event(op.Call)
		if op.Call < last {
			t.Errorf("the call at %d is listed after that at %d", op.Call, last)
		}
		last = op.Call
		if op.Call < open[op.Client] {
			t.Errorf("%s starts an operation at %d, while another is open", h.Clients[op.Client], op.Call)
		}
		open[op.Client] = op.Return
		switch op.Outcome {
		case model.Done:
			event(op.Return)
		case model.Unknown:
			if op.Return != math.MaxInt64 || op.Commit == 0 {
				t.Errorf("unknown outcome with return %d and commit %d", op.Return, op.Commit)
			}
		default:
			t.Errorf("outcome %d", op.Outcome)
		}
	}
}
