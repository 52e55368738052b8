package report

import (
	"io"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/diagnosis"
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
