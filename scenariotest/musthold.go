package scenariotest

import (
	"context"
	"strings"
	"testing"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/property"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/report"
	"github.com/watchbed/watchbed/testbed"
)

// Failures is the directory of the replay files, in that of the test. No file in it is
// ever overwritten.
const Failures = "simrun-failures"

// MustHold runs so many seeds of the default strategy, and fails the test unless every
// property that the scenario claims was checked and holds. For each way to fail it
// prints the story of a small run and what decides, and writes a replay file.
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
	property.MustBeChecked(t, c)
	// It is the test's line that fails, not one of the finder.
	var stories []string
	finder := &diagnosis.Finder{
		Scenario: sc, Params: p, Strategy: strategy.Default(), First: c.FirstSeed, Last: c.FirstSeed + max(c.Schedules, 1) - 1,
		Shrink: true, Tool: "go test, watchbed",
		Found: func(d *diagnosis.Diagnosis) { stories = append(stories, told(d)) },
	}
	_, err = finder.Find(context.Background(), c.Failures)
	for _, text := range stories {
		t.Errorf("%s", text)
	}
	if err != nil {
		t.Errorf("cannot explain a violation: %v", err)
	}
	return c
}

// told is the story with the command that shows it again.
func told(d *diagnosis.Diagnosis) string {
	var b strings.Builder
	b.WriteString(d.Failure.String() + " is violated\n\n")
	if err := report.WriteStory(&b, report.Terminal{}, d); err != nil {
		b.WriteString(err.Error() + "\n")
	}
	path, _, err := d.Recording.Create(Failures)
	if err != nil {
		return b.String() + "\nThere is no replay file: " + err.Error()
	}
	return b.String() + "\nReplay: simrun replay " + recording.ShellWord(path)
}
