package scenariotest

import (
	"context"
	"testing"

	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/property"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/testbed"
)

// Failures is the directory of the replay files, in that of the test. No file in it is
// ever overwritten.
const Failures = "simrun-failures"

// MustHold runs so many seeds of the default strategy, and fails the test unless every
// property that the scenario claims was checked and holds. Of the properties that the
// designs of all caches lack (cache.Design) none need be checked. In at most property.MaxLines
// lines it prints the story of a small run, what decides, the command that replays it,
// and the other ways to fail. Each of them has a replay file.
func MustHold(t testing.TB, sc *testbed.Scenario, p testbed.Params, seeds uint64) *campaign.Result {
	t.Helper()
	subjects, err := sc.Subjects(p)
	if err != nil {
		t.Fatal(err)
	}
	c, err := campaign.Run(context.Background(), subjects, campaign.Config{Seeds: seeds, Steps: p.Clock.Steps})
	if err != nil {
		t.Fatal(err)
	}
	if err := summary.LeaveOutLacking(&p, c); err != nil {
		t.Fatal(err)
	}
	property.MustBeChecked(t, c)
	if len(c.Failures) > 0 {
		t.Errorf("%s", tellCampaign(sc, p, c))
	}
	return c
}

// MustHoldReplay follows the run in a replay file of a scenario as far as it fits, with the parameters in the file, and
// fails the test as MustHold does: a regression test of what the run showed.
func MustHoldReplay(t testing.TB, path string) {
	t.Helper()
	rec, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	sc, err := testbed.FindScenario(rec.Scenario)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	p, err := sc.RecordedParams(rec.Parameters)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	subjects, err := sc.Subjects(p)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	property.MustHoldReplay(t, subjects, path)
}

// Check lets rapid draw schedules of up to so many choices, and fails the test as MustHold
// does; property.Check says more.
func Check(t testing.TB, sc *testbed.Scenario, p testbed.Params, choices int) {
	t.Helper()
	subjects, err := sc.Subjects(p)
	if err != nil {
		t.Fatal(err)
	}
	property.Check(t, subjects, choices)
}
