package report

import (
	"bytes"
	"fmt"
	"html/template"
	"io"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios"
)

// runPage is what the page about a run shows.
type runPage struct {
	Story      *Story
	Lines      []pageLine
	Chart      template.HTML
	WholeChart template.HTML
	Parameters []explore.Parameter
	Recording  *explore.Recording
	Timeline   string
	NoTimeline string
	Clients    []string
}

type pageLine struct{ When, Who, Text string }

// mostDrawn is the length up to which the chart of the whole run is drawn, too.
const mostDrawn = 600

// WriteRunHTML writes a page about a recorded failing run: the story, a message
// sequence chart, and porcupine's timeline of what the clients saw. The page
// needs nothing from elsewhere.
func WriteRunHTML(w io.Writer, sc *scenarios.Scenario, rec *explore.Recording, f explore.Failure) error {
	story, err := Tell(sc, rec, f)
	if err != nil {
		return err
	}
	r, err := replayTraced(sc, rec, f)
	if err != nil {
		return err
	}
	page := runPage{Story: story, Parameters: rec.Parameters, Recording: rec}
	for _, l := range story.Lines {
		page.Lines = append(page.Lines, pageLine{story.when(l), l.Who, l.Text})
	}
	told := around(r.trace, story.Lines)
	page.Chart = template.HTML(drawChart(r.trace, story.Lines, func(i int) bool { return told[i] }))
	if len(r.trace.steps) <= mostDrawn {
		page.WholeChart = template.HTML(drawChart(r.trace, story.Lines, func(int) bool { return true }))
	}
	h := r.system.History()
	page.Timeline, page.NoTimeline = timeline(h)
	page.Clients = h.Clients
	return runTemplate.Execute(w, page)
}

// around are the steps of a story, and those that sent what they delivered.
func around(t *trace, lines []Line) map[int]bool {
	told := map[int]bool{}
	for _, l := range lines {
		i := l.Step - 1
		told[i] = true
		if d := t.steps[i].delivered; d >= 0 && t.messages[d].sent >= 0 {
			told[t.messages[d].sent] = true
		}
		// The message that leaves a step of the story belongs to it.
		for _, m := range t.messages {
			if m.sent == i && m.delivered >= 0 {
				told[m.delivered] = true
			}
		}
	}
	return told
}

// timeline is porcupine's page, or the reason why there is none.
func timeline(h *model.History) (page, reason string) {
	if len(h.Operations) == 0 {
		return "", "The history has no operations."
	}
	if len(h.Operations) > linearizability.MostVisualized {
		return "", fmt.Sprintf("The history has %d operations; timelines are drawn up to %d.", len(h.Operations), linearizability.MostVisualized)
	}
	var b bytes.Buffer
	if err := linearizability.Visualize(&b, h, linearizability.Linearizable); err != nil {
		return "", err.Error()
	}
	return b.String(), ""
}

// historyPage is what the page about a history shows.
type historyPage struct {
	Name       string
	Operations int
	Clients    []string
	Judgements []pageJudgement
	Timeline   string
	NoTimeline string
}

type pageJudgement struct {
	Property, Verdict, By, Why string
	Exercised                  int
}

// WriteHistoryHTML writes a page about a history that was judged.
func WriteHistoryHTML(w io.Writer, name string, h *model.History, judgements []linearizability.Judgement) error {
	page := historyPage{Name: name, Operations: len(h.Operations), Clients: h.Clients}
	for i := range judgements {
		j := &judgements[i]
		x := pageJudgement{Property: string(j.Property), Verdict: j.Verdict.String(), By: j.By.String(), Exercised: j.Exercised}
		if j.Why != nil {
			x.Why = sentence(j.Why.Sentence)
		}
		page.Judgements = append(page.Judgements, x)
	}
	page.Timeline, page.NoTimeline = timeline(h)
	return historyTemplate.Execute(w, page)
}
