package report

import (
	"bufio"
	"io"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/testbed"
)

// WriteStory tells how a run fails: its story, why it is a violation, and which
// behaviour decides.
func WriteStory(w io.Writer, o Terminal, d *diagnosis.Diagnosis) error {
	s := d.Story
	b := bufio.NewWriter(w)
	b.WriteString(o.bold(s.Title) + "\n\n")
	when, node := 0, 0
	for _, l := range s.Lines {
		when = max(when, len(s.When(l)))
		node = max(node, len(l.Node))
	}
	indent := when + node + 4
	for _, l := range s.Lines {
		head := pad(s.When(l), when, true)
		b.WriteString(o.faint(head) + "  " + pad(l.Node, node, false) + "  ")
		b.WriteString(wrap(l.Text, o.width(), indent) + "\n")
	}
	b.WriteString("\n")
	for _, text := range []string{s.Why, d.Cause()} {
		if text != "" {
			b.WriteString(wrap(text, o.width(), 0) + "\n")
		}
	}
	if text := sayMasked(o.program(), s.Masked, s.Settings); text != "" {
		b.WriteString(o.faint(wrap(text, o.width(), 0)) + "\n")
	}
	return b.Flush()
}

// sayMasked says which races are switched off, which scenario shows them, and what the
// scenario sets. It is empty if there is nothing to say.
func sayMasked(program string, masked, settings []string) string {
	var sentences []string
	races := slices.DeleteFunc(testbed.Races(), func(r testbed.Race) bool { return !slices.Contains(masked, r.String()) })
	if text := switchedOff(races); text != "" {
		sentences = append(sentences, text)
	}
	for _, r := range races {
		sentences = append(sentences, "`"+program+" run "+r.Scenario+"` shows it.")
	}
	if len(settings) > 0 {
		sentences = append(sentences, "Set on top of version and design: "+strings.Join(settings, ", ")+".")
	}
	return strings.Join(sentences, " ")
}

// switchedOff says what is masked, in a sentence for each race.
func switchedOff(races []testbed.Race) string {
	var sentences []string
	for _, r := range races {
		sentences = append(sentences, "One known race that every etcd release has is switched off here, so that it does not hide others: "+r.What+".")
	}
	return strings.Join(sentences, " ")
}
