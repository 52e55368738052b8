package report

import (
	"html/template"
	"io"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/diagnosis/story"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
)

// runPage is what the page about a run shows.
type runPage struct {
	Program      string
	Story        *story.Story
	Flip, Masked string
	Steps        int
	Lines        []pageLine
	Chart        template.HTML
	WholeChart   template.HTML
	Parameters   []recording.Parameter
	Recording    *recording.Recording
	Timeline     timeline
	// Wrong and Missed: the chart marks such a step.
	Wrong, Missed bool
}

type pageLine struct{ When, Node, Text string }

// maxDrawn is the length up to which the chart of the whole run is drawn, too.
const maxDrawn = 600

// WriteRunHTML writes a page about a recorded failing run: the story, a message
// sequence chart, and porcupine's timeline of what the clients saw. The page
// needs nothing from elsewhere. What can be typed begins with the name of the program.
func WriteRunHTML(w io.Writer, program string, d *diagnosis.Diagnosis) error {
	s, r := d.Story, d.Story.Run
	page := runPage{Program: program, Story: s, Flip: d.Cause(), Steps: len(r.Trace.Steps), Parameters: d.Recording.Parameters, Recording: d.Recording}
	page.Masked = sayMasked(program, s.Masked, s.Settings)
	for _, l := range s.Lines {
		page.Lines = append(page.Lines, pageLine{s.When(l), l.Node, l.Text})
	}
	told := around(r, s.Lines)
	page.Chart = template.HTML(drawChart(r, s.Lines, func(i int) bool { return told[i] }))
	page.Wrong, page.Missed = r.Wrong >= 0, r.Missed >= 0
	if len(r.Trace.Steps) <= maxDrawn {
		page.WholeChart = template.HTML(drawChart(r, s.Lines, func(int) bool { return true }))
	}
	page.Timeline = timelineOf(r.History, linearizability.Property(d.Failure.Property))
	return runTemplate.Execute(w, page)
}

// around are the steps of a story, those that sent what they delivered, and those
// that delivered what they sent to another node in it.
func around(r *story.Run, lines []story.Line) map[int]bool {
	t := r.Trace
	told, inStory := map[int]bool{}, map[string]bool{}
	for _, l := range lines {
		told[l.Step-1] = true
		inStory[l.Node] = true
	}
	around := map[int]bool{}
	for i := range told {
		around[i] = true
		if d := t.Steps[i].Delivered; d >= 0 && t.Messages[d].Sent >= 0 {
			around[t.Messages[d].Sent] = true
		}
	}
	for _, m := range t.Messages {
		// Client libraries pass on what is told of, and say little themselves.
		if told[m.Sent] && m.Delivered >= 0 && (inStory[t.Nodes[m.To]] || r.Tiers[m.To] == story.LibraryTier) {
			around[m.Delivered] = true
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
