package recorded_test

import (
	"testing"
	"time"

	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/conformance/recorded"
)

// Few runs, at delays where luck plays no part: the recording has the numbers.
func TestProgressIsLostForeverIn3512Only(t *testing.T) {
	const (
		runs      = 5
		atOnce    = 0
		afterSync = 500 * time.Millisecond
	)
	for _, version := range realetcd.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			server := realetcd.StartForTest(t, version)
			for _, delay := range []time.Duration{atOnce, afterSync} {
				res, err := recorded.Progress(t.Context(), server, delay, runs)
				if err != nil {
					t.Fatal(err)
				}
				lost := version == "3.5.12" && delay == atOnce
				if (res.Silent > 0) != lost {
					t.Errorf("first request after %v: %d of %d runs were silent", delay, res.Silent, runs)
				}
			}
		})
	}
}

func TestProgressOvertakesEventsIn357Only(t *testing.T) {
	const runs = 10
	for _, version := range realetcd.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			server := realetcd.StartForTest(t, version)
			res, err := recorded.Overtaking(t.Context(), server, runs)
			if err != nil {
				t.Fatal(err)
			}
			if (res.Violations > 0) != (version == "3.5.7") {
				t.Errorf("%d of %d runs saw progress ahead of its events", res.Violations, runs)
			}
		})
	}
}

func TestCompactionCancelIsLostUpTo3512(t *testing.T) {
	const runs = 2
	for _, version := range realetcd.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			server := realetcd.StartForTest(t, version)
			res, err := recorded.LostCancel(t.Context(), server, runs)
			if err != nil {
				t.Fatal(err)
			}
			want := 0
			if version == "3.5.7" || version == "3.5.12" {
				want = runs
			}
			if res.Violations != want {
				t.Errorf("%d of %d runs lost the cancellation, want %d", res.Violations, runs, want)
			}
		})
	}
}

// The fix is in 3.5.22 and 3.6.2. A member that is never behind would show nothing in any version.
func TestProgressBehindTheStartOfAWatchUpTo3521(t *testing.T) {
	const runs, members = 100, 3
	for _, version := range realetcd.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			res, err := recorded.ProgressBehindStart(t.Context(), realetcd.StartClusterForTest(t, version, members), runs)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%+v", res)
			if res.Behind == 0 {
				t.Fatalf("the member was behind the leader in none of %d runs", runs)
			}
			if (res.Violations > 0) != (version == "3.5.7" || version == "3.5.12") {
				t.Errorf("%d of %d runs saw progress before the start of the watch; the member was behind in %d", res.Violations, runs, res.Behind)
			}
		})
	}
}

func TestCreatedOvertakesProgressSinceTheFix(t *testing.T) {
	const runs, requests = 20, 10
	for _, version := range realetcd.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			server := realetcd.StartForTest(t, version)
			res, err := recorded.CreatedOvertakes(t.Context(), server, requests, runs)
			if err != nil {
				t.Fatal(err)
			}
			if (res.Violations > 0) != (version != "3.5.7") {
				t.Errorf("%d of %d runs saw progress for a watch whose events had not come", res.Violations, runs)
			}
		})
	}
}
