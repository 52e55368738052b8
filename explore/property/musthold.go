package property

import (
	"context"
	"strings"
	"testing"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/model"
)

// MustHold runs so many seeds of the default strategy and fails the test unless
// every property that the subject claims was checked and holds. It says how the subject
// fails in at most MaxLines lines: for a scenario of the test bed, if package scenariotest
// is imported, with the story, a replay file and the command; else with the choices of
// a shrunk run.
func MustHold(t testing.TB, newSubject func() explore.Subject, seeds uint64) *campaign.Result {
	t.Helper()
	c, err := campaign.Run(context.Background(), newSubject, campaign.Config{Seeds: seeds})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Failures) > 0 {
		t.Errorf("%s", tellCampaign(newSubject, c))
	}
	MustBeChecked(t, c)
	return c
}

// MustBeChecked fails the test if a claimed property was not checked in a campaign or
// is unknown, if nothing is claimed, or if a run was cut off: a line each.
func MustBeChecked(t testing.TB, c *campaign.Result) {
	t.Helper()
	if names := withVerdict(c, model.Vacuous); len(names) > 0 {
		t.Errorf("%s: vacuous, none of %d schedules checked it", strings.Join(names, ", "), c.Schedules)
	}
	if names := withVerdict(c, model.VerdictUnknown); len(names) > 0 {
		t.Errorf("%s: unknown", strings.Join(names, ", "))
	}
	if len(c.Properties) == 0 {
		t.Error("the subject claims nothing")
	}
	if c.Truncated > 0 {
		t.Errorf("%d of %d schedules were cut off before they ended", c.Truncated, c.Schedules)
	}
}

func withVerdict(c *campaign.Result, v model.Verdict) (names []string) {
	for i := range c.Properties {
		if c.Properties[i].Verdict == v {
			names = append(names, c.Properties[i].Name)
		}
	}
	return names
}
