package property

import (
	"context"
	"strings"
	"testing"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
)

// MustHold runs so many seeds of the default strategy and fails the test unless
// every property that the subject claims was checked and holds. It prints a
// shrunk run for each way to fail, a choice a line. For a scenario of the test bed
// package scenariotest prints its story instead.
func MustHold(t testing.TB, newSubject func() explore.Subject, seeds uint64) *campaign.Result {
	t.Helper()
	c, err := campaign.Run(context.Background(), newSubject, campaign.Config{Seeds: seeds})
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.Failures {
		f := &c.Failures[i]
		t.Errorf("%s: violated in %d of %d schedules, first by seed %d of %s%s",
			f.Failure, f.Schedules, c.Schedules, f.FirstSeed, c.Strategy, shortest(newSubject, f))
	}
	MustBeChecked(t, c)
	return c
}

// MustBeChecked fails the test if a claimed property was not checked in a campaign or
// is undecided, if nothing is claimed, or if a run was cut off.
func MustBeChecked(t testing.TB, c *campaign.Result) {
	t.Helper()
	for i := range c.Properties {
		switch p := &c.Properties[i]; p.Verdict {
		case model.Vacuous:
			t.Errorf("%s: vacuous, none of %d schedules checked it", p.Name, c.Schedules)
		case model.Undecided:
			t.Errorf("%s: unknown", p.Name)
		}
	}
	if len(c.Properties) == 0 {
		t.Error("the subject claims nothing")
	}
	if c.Truncated > 0 {
		t.Errorf("%d of %d schedules were cut off before they ended", c.Truncated, c.Schedules)
	}
}

// shortest is a shrunk run, a choice a line.
func shortest(newSubject func() explore.Subject, f *campaign.FailureTally) string {
	r := explore.NewRunner(newSubject(), 0)
	rec, _ := recording.RecordSeed(r, strategy.Default(), f.FirstSeed)
	s, err := recording.Shrink(context.Background(), r, rec, f.Failure, 0)
	if err != nil {
		return "; it does not shrink: " + err.Error()
	}
	return "; shrunk:\n" + story(s.Recording)
}

func story(rec *recording.Recording) string {
	var b strings.Builder
	for _, c := range rec.Choices {
		b.WriteString("\t" + c + "\n")
	}
	for _, f := range rec.Findings {
		if f.Verdict == model.Violated.String() && f.Why != "" {
			b.WriteString("\t" + f.Property + ": " + f.Why + "\n")
		}
	}
	return b.String()
}
