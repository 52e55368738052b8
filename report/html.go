package report

import (
	_ "embed"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/check"
	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/diagnosis/story"
	"github.com/watchbed/watchbed/diagnosis/trace"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim/option"
)

// runPage is what the page about a run shows.
type runPage struct {
	Program      string
	Story        *story.Story
	Flip, Masked string
	Steps        int
	// Told are the steps of the story and the messages that belong to them, Whole all
	// steps; Whole is empty if there are more than Drawn.
	Told, Whole stepTable
	Drawn       int
	// Beside is nil if no run passes.
	Beside     *beside
	Clients    []clientRows
	Parameters []option.Setting
	Recording  *recording.Recording
	Timeline   timeline
	// Wrong and Missed: the page marks such a step.
	Wrong, Missed bool
	// Sections stand before the recording.
	Sections []section
	// Links are on top of the page.
	Links []link
}

// section is a part of a page: with a place for links, and a heading.
type section struct {
	Place, Heading string
	Body           template.HTML
}

// link leads to a place of the page.
type link struct{ To, Text string }

// links lead to the steps that are marked, and to the parts of the page.
func (p *runPage) links() []link {
	links := p.Told.anchored()
	if p.Beside != nil {
		links = append(links, link{"beside", "Beside the nearest run that passes"})
	}
	links = append(links, link{"clients", "What the clients saw"})
	for _, s := range p.Sections {
		links = append(links, link{s.Place, s.Heading})
	}
	return append(links, link{"recording", "The recording"})
}

// anchored lets links lead to the steps that are marked, and returns the links.
func (t *stepTable) anchored() []link {
	var links []link
	for _, mark := range []struct {
		class string
		link
	}{
		{wrongClass, link{"wrong", "Where it shows"}},
		{missedClass, link{"missed", "The change that is missed"}},
	} {
		for i := range t.Rows {
			if r := &t.Rows[i]; r.Anchor == "" && strings.Contains(r.Class, mark.class) {
				r.Anchor = mark.To
				links = append(links, mark.link)
				break
			}
		}
	}
	return links
}

// How many steps a run may have whose steps are all drawn, too, and how many if each is
// to have beside it all that the nodes hold.
const (
	maxDrawn = 5_000
	maxWhole = 200
)

// WriteRunHTML writes a page about a recorded failing run: the story with what the
// nodes hold beside each step, the nearest run that passes beside it, what the clients
// saw, and porcupine's timeline of that. The page needs nothing from elsewhere. What can
// be typed begins with the name of the program. Sections are of packages that know more of the
// run. The run is replayed for it; the error is that it does not replay.
func WriteRunHTML(w io.Writer, program string, d *diagnosis.Diagnosis, sections ...section) error {
	s, r := d.Story, d.Story.Run
	held, err := trace.StatesOf(d.Scenario(), d.Recording)
	if err != nil {
		return err
	}
	p, err := d.Scenario().RecordedParams(d.Recording.Parameters)
	if err != nil {
		return err
	}
	page := runPage{Program: program, Story: s, Flip: d.Cause(), Steps: len(r.Trace.Steps), Parameters: p.Given(), Recording: d.Recording, Sections: sections}
	page.Masked = sayMasked(program, s.Masked, s.Settings)
	all, told := stepsOf(s, held), around(r, s.Lines)
	page.Told = all.table(func(i int) bool { return told[i] }, r.Tiers)
	if page.Drawn = maxDrawn; page.Steps <= maxDrawn {
		page.Whole = all.table(func(int) bool { return true }, r.Tiers)
	}
	if page.Steps > maxWhole {
		page.Whole.fold()
	}
	page.Wrong, page.Missed = r.Wrong >= 0, r.Missed >= 0
	if page.Beside, err = besideOf(d, all, told); err != nil {
		return err
	}
	page.Clients = clientsOf(r.History, r)
	page.Timeline = timelineOf(r.History, linearizability.Property(d.Failure.Property))
	page.Links = page.links()
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
	Verdict    model.Verdict
	Recorded   string
	Notes      []string
	Judgements []pageJudgement
	// Watched are the streams that violate something.
	Watched, Rows []clientRows
	Timeline      timeline
}

// pageJudgement has as Why what is wrong, or why the verdict says nothing.
type pageJudgement struct {
	Property, Verdict, By, Why string
	Checked                    string
}

// Recorded says what is in a history.
func Recorded(h *model.History) string {
	var parts []string
	if len(h.Operations) > 0 || len(h.Watchers) == 0 {
		parts = append(parts, Counted(uint64(len(h.Operations)), "operation")+" of "+Counted(uint64(len(h.Clients)), "client"))
	}
	if n := len(h.Watchers); n > 0 {
		parts = append(parts, Counted(uint64(n), "watcher"))
	}
	if h.Partial && (len(h.Operations) > 0 || len(h.Watchers) == 0) {
		parts = append(parts, "in part: not all writers are recorded")
	}
	return strings.Join(parts, ", ")
}

// WriteHistoryHTML writes a page about a history that was judged. The notes say what its
// format leaves out.
func WriteHistoryHTML(w io.Writer, name string, h *model.History, notes []string, r *check.Result) error {
	page := historyPage{Name: name, Verdict: r.Verdict, Watched: watched(h, r), Recorded: Recorded(h), Notes: notes, Rows: clientsOf(h, nil)}
	drawn := linearizability.Linearizable
	for i := range r.Judgements {
		j := &r.Judgements[i]
		x := pageJudgement{Property: j.Property, Verdict: j.Verdict.String(), By: j.By, Checked: Counted(uint64(j.Exercised), "time")}
		if j.Verdict == model.Violated && j.Exercised == 0 {
			// What is wrong before that needs no check.
			x.Checked = ""
		}
		switch {
		case j.Operations != nil:
			x.Why = sentence(j.Operations.Sentence)
		case j.Watch != nil:
			x.Why = sentence(j.Watch.Sentence)
		case j.Reason != "":
			x.Why = sentence(j.Reason)
		}
		page.Judgements = append(page.Judgements, x)
	}
	if i := slices.IndexFunc(r.Judgements, func(j check.Judgement) bool { return j.Operations != nil }); i >= 0 {
		drawn = linearizability.Property(r.Judgements[i].Property)
	}
	page.Timeline = timelineOf(h, drawn)
	return historyTemplate.Execute(w, page)
}

//go:embed page.css
var pageCSS string

//go:embed run.html
var runHTML string

//go:embed history.html
var historyHTML string

//go:embed timeline.html
var timelineHTML string

//go:embed steps.html
var stepsHTML string

//go:embed clients.html
var clientsHTML string

var pageFunctions = template.FuncMap{"css": func() template.CSS { return template.CSS(pageCSS) }}

var (
	runTemplate     = parsed("run", runHTML)
	historyTemplate = parsed("history", historyHTML)
)

func parsed(name, page string) *template.Template {
	t := template.Must(template.New(name).Funcs(pageFunctions).Parse(page))
	for _, part := range []string{timelineHTML, stepsHTML, clientsHTML} {
		t = template.Must(t.Parse(part))
	}
	return t
}
