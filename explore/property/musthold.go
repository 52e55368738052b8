package property

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
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

// MaxLines is the largest number of lines in which a check says how a subject fails.
const MaxLines = 40

// Teller says how a subject fails, in at most MaxLines lines: the story, a replay file and
// the command that shows it again. ok is false if the subject is none that it knows.
type Teller interface {
	// Campaign tells of a campaign with failures.
	Campaign(newSubject func() explore.Subject, c *campaign.Result) (text string, ok bool)
	// Run tells of one recorded run that fails in the way f, and how else to call it if that is not empty.
	Run(newSubject func() explore.Subject, rec *recording.Recording, f explore.Failure, call string) (text string, ok bool)
}

// teller is the argument of TellWith, nil if there is none.
var teller Teller

// TellWith sets the teller of all checks; a package that has stories calls it from init.
// Without one a check prints choices.
func TellWith(t Teller) { teller = t }

// tellCampaign says how a campaign fails.
func tellCampaign(newSubject func() explore.Subject, c *campaign.Result) string {
	if teller != nil {
		if text, ok := teller.Campaign(newSubject, c); ok {
			return text
		}
	}
	var b strings.Builder
	for i := range c.Failures {
		f := &c.Failures[i]
		if i > maxOthers {
			fmt.Fprintf(&b, "and %d more ways to fail\n", len(c.Failures)-i)
			break
		}
		fmt.Fprintf(&b, "%s: violated in %d of %d schedules, first by seed %d of %s", f.Failure, f.Schedules, c.Schedules, f.FirstSeed, c.Strategy)
		if i == 0 {
			b.WriteString(shortest(newSubject, f))
		} else {
			b.WriteString("\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// maxOthers is how many ways to fail are named beside the first one.
const maxOthers = 4

// shortest is a shrunk run, a choice a line.
func shortest(newSubject func() explore.Subject, f *campaign.FailureTally) string {
	r := explore.NewRunner(newSubject(), 0)
	rec, _ := recording.RecordSeed(r, strategy.Default(), f.FirstSeed)
	s, err := recording.Shrink(context.Background(), r, rec, f.Failure, 0)
	if err != nil {
		return "; it does not shrink: " + err.Error() + "\n"
	}
	return "; shrunk:\n" + story(s.Recording)
}

// Of a run without a story so many choices are printed: those at its ends.
const (
	firstChoices = 6
	lastChoices  = 20
)

func story(rec *recording.Recording) string {
	var b strings.Builder
	for i, c := range rec.Choices {
		switch hidden := len(rec.Choices) - firstChoices - lastChoices; {
		case hidden > 1 && i == firstChoices:
			fmt.Fprintf(&b, "\t... %d choices left out\n", hidden)
		case hidden <= 1 || i < firstChoices || i >= firstChoices+hidden:
			b.WriteString("\t" + c + "\n")
		}
	}
	said := 0
	for _, f := range rec.Findings {
		if f.Verdict == model.Violated.String() && f.Why != "" && said < maxOthers {
			b.WriteString("\t" + f.Property + ": " + strings.ReplaceAll(f.Why, "\n", " ") + "\n")
			said++
		}
	}
	return b.String()
}
