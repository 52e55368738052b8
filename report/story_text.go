package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/testbed"
)

// WriteStory tells how a run fails: its story, why it is a violation, and which
// behaviour decides.
func WriteStory(w io.Writer, o Terminal, d *diagnosis.Diagnosis) error {
	_, err := io.WriteString(w, storyText(o, d, 0, true))
	return err
}

// leastTold is how many steps of a story are told at each of its ends, however little
// room there is.
const leastTold = 2

// ShortStory is WriteStory in at most so many lines, as far as that goes: what is switched
// off is left out first, then the steps in the middle. A step near the end says more than
// one at the beginning.
func ShortStory(o Terminal, d *diagnosis.Diagnosis, lines int) string {
	text := storyText(o, d, 0, true)
	for hidden := 0; strings.Count(text, "\n") > lines && hidden <= len(d.Story.Lines)-2*leastTold; hidden++ {
		text = storyText(o, d, hidden, false)
	}
	if all := strings.SplitAfter(text, "\n"); len(all) > lines+1 {
		text = strings.Join(all[:lines], "")
	}
	return text
}

// storyText is the story without so many of its steps.
func storyText(o Terminal, d *diagnosis.Diagnosis, hidden int, masked bool) string {
	s := d.Story
	p := &Page{To: o}
	p.WriteString("|" + o.Bold(s.Title) + "\n\n")
	// Two thirds of the steps that are told are those at the end.
	gap := max(leastTold, (len(s.Lines)-hidden)/3)
	for i, l := range s.Lines {
		if hidden > 0 && i == gap {
			p.Row(number(""), o.Faint("..."), o.Faint(Counted(uint64(hidden), "step")+" left out"))
		}
		if i < gap || i >= gap+hidden {
			p.Row(number(o.Faint(s.When(l))), l.Node, l.Text)
		}
	}
	p.WriteString("\n")
	for _, text := range []string{s.Why, d.Cause()} {
		if text != "" {
			p.Line(0, "<%s", text)
		}
	}
	if text := sayMasked(o.program(), s.Masked, s.Settings); masked && text != "" {
		p.Line(0, "<%s", o.Faint(text))
	}
	return p.laidOut()
}

// sayMasked says which races are switched off, which scenario shows them, and what the
// scenario sets. It is empty if there is nothing to say.
func sayMasked(program string, masked, settings []string) string {
	var sentences []string
	for _, r := range testbed.Races() {
		if slices.Contains(masked, r.String()) {
			sentences = append(sentences, "One known race that every etcd release has is switched off here, so that it does not hide others: "+r.What+".", "`"+program+" run "+r.Scenario+"` shows it.")
		}
	}
	if len(settings) > 0 {
		sentences = append(sentences, "Set on top of version and design: "+strings.Join(settings, ", ")+".")
	}
	return strings.Join(sentences, " ")
}

// WriteSummary writes what held, what did not, and what it took.
func WriteSummary(w io.Writer, o Terminal, s *summary.Summary) error {
	return writeText(w, o, "summary", s)
}

// Subject is the versions, the design and the bugs. The client is empty if it is that of
// the server's release.
func Subject(etcd, client, cache string, bugs []string) string {
	text := etcd
	if !strings.Contains(etcd, "@") {
		text = "etcd " + etcd
	}
	if client != "" {
		text += ", client " + client
	}
	text += ", cache design " + cache
	if len(bugs) > 0 {
		text += ", with " + strings.Join(bugs, " and ")
	}
	return text
}

// histories says who judged them: of the properties that are judged by histories.
func histories(s *summary.Summary) (text string) {
	for _, name := range s.Claims {
		if p := s.Properties[name]; p.Porcupine+p.Witness > 0 {
			text += fmt.Sprintf(" For %s porcupine judged %s of %s histories, the witness alone %s.", name, grouped(p.Porcupine), grouped(p.Porcupine+p.Witness), grouped(p.Witness))
		}
	}
	return text
}

// seeds are those of a campaign, and its draws.
func seeds(s *summary.Summary) string {
	text := fmt.Sprintf("seeds %d to %d", s.FirstSeed, s.FirstSeed+s.Schedules-1)
	if s.Schedules == 1 {
		text = fmt.Sprintf("seed %d", s.FirstSeed)
	}
	if s.Draws != "" {
		text += ", draws " + strings.Replace(s.Draws, "..", " to ", 1)
	}
	return text
}

// pace says how long it took, and how many choices a second that is. Of a campaign
// that is over at once it says nothing.
func pace(s *summary.Summary) string {
	if s.Seconds < 0.01 {
		return ""
	}
	rate := float64(s.Choices) / s.Seconds
	if rate < 1e5 {
		return fmt.Sprintf(" in %.2f s, %s a second", s.Seconds, grouped(uint64(rate)))
	}
	return fmt.Sprintf(" in %.2f s, %.1f million a second", s.Seconds, rate/1e6)
}
