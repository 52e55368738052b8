package recorded_test

import (
	"testing"
	"time"

	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/conformance/recorded"
	"github.com/watchbed/watchbed/metric"
)

// TestMeasuredRateFollowsThePhaseOfTheSyncLoop: a quiet watcher is unsynced until
// the next round of the sync loop. If runs meet the loop at a random phase, a
// first request after d finds it so with probability 1 - d/100 ms, and 3.5.12
// then keeps silent. A recording far from that was made on a busy machine, or at
// phases that are not random.
func TestMeasuredRateFollowsThePhaseOfTheSyncLoop(t *testing.T) {
	const (
		syncPeriod = 100 * time.Millisecond
		// roundTrip passes between the registration and the Created response,
		// and again before the request is there.
		roundTrip = 200 * time.Microsecond
		level     = 0.001
	)
	var results []recorded.ProgressResult
	if err := realetcd.ReadJSON(realetcd.Progress(), &results); err != nil {
		t.Fatal(err)
	}
	if want := len(realetcd.Versions()) * len(recorded.Delays()); len(results) != want {
		t.Errorf("%d results, want %d", len(results), want)
	}
	for _, r := range results {
		if r.Etcd != "3.5.12" {
			if r.Silent != 0 {
				t.Errorf("%s after %d ms: %d of %d runs were silent, want none", r.Etcd, r.DelayMs, r.Silent, r.Runs)
			}
			continue
		}
		passed := time.Duration(r.DelayMs)*time.Millisecond + roundTrip
		unsynced := max(0, 1-passed.Seconds()/syncPeriod.Seconds())
		if p := metric.BinomialTwoSided(r.Silent, r.Runs, unsynced); p < level {
			t.Errorf("%s after %d ms: %d of %d runs were silent; that has probability %.2g", r.Etcd, r.DelayMs, r.Silent, r.Runs, p)
		}
	}
}

func TestMeasuredBugs(t *testing.T) {
	var results []recorded.Result
	if err := realetcd.ReadJSON(realetcd.WatchBugs(), &results); err != nil {
		t.Fatal(err)
	}
	// Neither script has any luck in it.
	present := map[int]map[string]bool{
		15220: {"3.5.7": true},
		17529: {"3.5.7": true, "3.5.12": true},
	}
	if want := len(realetcd.Versions()) * len(present); len(results) != want {
		t.Errorf("%d results, want %d", len(results), want)
	}
	for _, r := range results {
		want := 0
		if present[r.Bug][r.Etcd] {
			want = r.Runs
		}
		if r.Violations != want {
			t.Errorf("#%d in %s: %d of %d runs, want %d", r.Bug, r.Etcd, r.Violations, r.Runs, want)
		}
	}
}

// The fix of #20221 is in 3.5.22 and 3.6.2. Until then a member that is behind when it creates
// the watch answers at once in nearly all runs: in the others it catches up before the request.
func TestMeasuredProgressBehindStart(t *testing.T) {
	var results []recorded.BehindStartResult
	if err := realetcd.ReadJSON(realetcd.ProgressBehindStart(), &results); err != nil {
		t.Fatal(err)
	}
	if want := len(realetcd.Versions()); len(results) != want {
		t.Errorf("%d results, want %d", len(results), want)
	}
	for _, r := range results {
		fixed := r.Etcd != "3.5.7" && r.Etcd != "3.5.12"
		switch {
		case r.Behind < r.Runs/10:
			t.Errorf("%s: the member was behind in %d of %d runs, which is too few to say anything", r.Etcd, r.Behind, r.Runs)
		case fixed && r.Violations != 0:
			t.Errorf("%s: %d of %d runs, want none", r.Etcd, r.Violations, r.Runs)
		case !fixed && r.Violations < r.Behind/2:
			t.Errorf("%s: %d of %d runs with a member that was behind, want most of them", r.Etcd, r.Violations, r.Behind)
		}
	}
}

// Since the fix of #15220 a single request is answered before the second watch
// is created, but of several requests in a row the later answers still wait in
// the watch channel then. Before the fix they went through the control queue, in
// front of Created.
func TestMeasuredCreatedOvertakesProgress(t *testing.T) {
	var results []recorded.CreatedOvertakesResult
	if err := realetcd.ReadJSON(realetcd.CreatedOvertakes(), &results); err != nil {
		t.Fatal(err)
	}
	if want := len(realetcd.Versions()) * 3; len(results) != want {
		t.Errorf("%d results, want %d", len(results), want)
	}
	for _, r := range results {
		switch {
		case r.Etcd == "3.5.7" && r.Violations != 0:
			t.Errorf("%s: %d of %d runs with %d requests, want none", r.Etcd, r.Violations, r.Runs, r.Requests)
		case r.Etcd != "3.5.7" && r.Requests == 10 && r.Violations < r.Runs/2:
			t.Errorf("%s: %d of %d runs with %d requests, want most of them", r.Etcd, r.Violations, r.Runs, r.Requests)
		}
	}
}
