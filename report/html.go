package report

import (
	"html/template"
	"io"
	"strings"

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
	Timeline   timeline
	// Wrong and Missed: the chart marks such a step.
	Wrong, Missed bool
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
	page.Chart = template.HTML(drawChart(r.trace, story.Lines, &r.concern, func(i int) bool { return told[i] }))
	page.Wrong, page.Missed = r.concern.wrong >= 0, r.concern.missed >= 0
	if len(r.trace.steps) <= mostDrawn {
		page.WholeChart = template.HTML(drawChart(r.trace, story.Lines, &r.concern, func(int) bool { return true }))
	}
	page.Timeline = timelineOf(r.system.History(), linearizability.Property(f.Property))
	return runTemplate.Execute(w, page)
}

// around are the steps of a story, those that sent what they delivered, and those
// that delivered what they sent to somebody else in it.
func around(t *trace, lines []Line) map[int]bool {
	told, inStory := map[int]bool{}, map[string]bool{}
	for _, l := range lines {
		told[l.Step-1] = true
		inStory[l.Who] = true
	}
	around := map[int]bool{}
	for i := range told {
		around[i] = true
		if d := t.steps[i].delivered; d >= 0 && t.messages[d].sent >= 0 {
			around[t.messages[d].sent] = true
		}
	}
	for _, m := range t.messages {
		name := t.nodes[m.to]
		// Client libraries pass on what is told of, and say little themselves.
		if told[m.sent] && m.delivered >= 0 && (inStory[name] || name == "client" || strings.HasPrefix(name, "client-")) {
			around[m.delivered] = true
		}
	}
	return around
}

// historyPage is what the page about a history shows.
type historyPage struct {
	Name       string
	Operations int
	Clients    int
	Judgements []pageJudgement
	Timeline   timeline
}

type pageJudgement struct {
	Property, Verdict, By, Why string
	Exercised                  int
}

// WriteHistoryHTML writes a page about a history that was judged.
func WriteHistoryHTML(w io.Writer, name string, h *model.History, judgements []linearizability.Judgement) error {
	page := historyPage{Name: name, Operations: len(h.Operations), Clients: len(h.Clients)}
	for i := range judgements {
		j := &judgements[i]
		x := pageJudgement{Property: string(j.Property), Verdict: j.Verdict.String(), By: j.By.String(), Exercised: j.Exercised}
		if j.Why != nil {
			x.Why = sentence(j.Why.Sentence)
		}
		page.Judgements = append(page.Judgements, x)
	}
	page.Timeline = timelineOf(h, linearizability.Linearizable)
	for i := range judgements {
		if j := &judgements[i]; j.Verdict == model.Violated {
			page.Timeline = timelineOf(h, j.Property)
			break
		}
	}
	return historyTemplate.Execute(w, page)
}
