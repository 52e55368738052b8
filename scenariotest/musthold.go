// Package scenariotest checks scenarios inside Go tests. MustHold runs seeds of a
// scenario with your parameters, Check lets rapid draw its schedules. A test fails in at
// most 40 lines: the story, what decides, a replay file and the command that replays it.
//
// Package explore/property does the same for any subject of explore. Where this package is
// imported, its checks of scenarios tell stories as well; those of other subjects print
// choices.
//
// It is for tests only. No command must ever import it, since it brings the flags of
// go test.
package scenariotest

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/explore"
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

const tool = "go test, watchbed"

// teller tells of scenarios of the test bed.
type teller struct{}

func init() { property.TellWith(teller{}) }

// systemOf is the system that a subject is; nil if it is another one.
func systemOf(newSubject func() explore.Subject) *testbed.System {
	s, ok := newSubject().(*testbed.System)
	if !ok || s.Scenario() == nil {
		return nil
	}
	return s
}

func (teller) Campaign(newSubject func() explore.Subject, c *campaign.Result) (string, bool) {
	s := systemOf(newSubject)
	if s == nil {
		return "", false
	}
	return tellCampaign(s.Scenario(), s.Params(), c), true
}

func (teller) Run(newSubject func() explore.Subject, rec *recording.Recording, f explore.Failure, call string) (string, bool) {
	s := systemOf(newSubject)
	if s == nil {
		return "", false
	}
	p := s.Params()
	rec.Tool, rec.Scenario, rec.Parameters = tool, s.Scenario().Name, p.Expand()
	if small, err := recording.Shrink(context.Background(), s.Runner(), rec, f, 0); err == nil {
		rec = small.Recording
	}
	d, err := diagnosis.Of(s.Scenario(), rec, f)
	if err != nil {
		return fmt.Sprintf("%s is violated, and cannot be explained: %v\nto reproduce: %s", f, err, call), true
	}
	d.Keep()
	var others []string
	if call != "" {
		others = append(others, "or "+call)
	}
	return told(d, "", others), true
}

// mostOthers is how many failures are named beside the one whose story is told.
const mostOthers = 5

// tellCampaign tells the failure that says most about the cause, and names the others.
func tellCampaign(sc *testbed.Scenario, p testbed.Params, c *campaign.Result) string {
	finder := &diagnosis.Finder{
		Scenario: sc, Params: p, Strategy: strategy.Default(), First: c.FirstSeed, Last: c.FirstSeed + max(c.Schedules, 1) - 1,
		Shrink: true, Tool: tool,
	}
	found, err := finder.Find(context.Background(), c.Failures)
	if len(found) == 0 {
		return fmt.Sprintf("%s is violated, and cannot be explained: %v", c.Failures[0].Failure, err)
	}
	often := func(f explore.Failure) string {
		i := slices.IndexFunc(c.Failures, func(t campaign.FailureTally) bool { return t.Failure == f })
		return fmt.Sprintf(" in %d of %d schedules", c.Failures[i].Schedules, c.Schedules)
	}
	var others []string
	for i, d := range found {
		if i > 0 {
			command, _ := replay(d)
			others = append(others, "Also "+d.Failure.String()+often(d.Failure)+": "+command)
		}
		for _, f := range d.Also {
			others = append(others, "Also "+f.String()+often(f)+", in the same run")
		}
	}
	if n := len(others); n > mostOthers {
		others = append(others[:mostOthers], fmt.Sprintf("And %d more ways to fail: the folder %s", n-mostOthers, Failures))
	}
	if err != nil {
		others = append(others, "Cannot explain all: "+err.Error())
	}
	return told(found[0], often(found[0].Failure), others)
}

// told is the story with the command that shows it again, and further lines.
func told(d *diagnosis.Diagnosis, often string, others []string) string {
	head := d.Failure.String() + " is violated" + often
	tail := append(replays(d), others...)
	// Beside the story are the head, the tail, an empty line around it, and what a test
	// says of claims that were not checked.
	room := property.MaxLines - len(tail) - 6
	return head + "\n\n" + report.ShortStory(report.Terminal{}, d, room) + "\n" + strings.Join(tail, "\n")
}

// replays are the command that shows the run again, and the call of a test that follows it: a command knows a design or
// a scenario of one's own only if it imports it.
func replays(d *diagnosis.Diagnosis) []string {
	command, path := replay(d)
	lines := []string{"Replay: " + command}
	if path != "" {
		lines = append(lines, "or in a test: scenariotest.MustHoldReplay(t, "+strconv.Quote(path)+")")
	}
	return lines
}

// replay is the command that shows a run again, and the file that it needs.
func replay(d *diagnosis.Diagnosis) (command, path string) {
	path, err := d.Recording.Create(Failures)
	if err != nil {
		return "there is no file: " + err.Error(), ""
	}
	return recording.Again("simrun", path), path
}
