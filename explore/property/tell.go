package property

import (
	"context"
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
)

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
