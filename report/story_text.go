package report

import (
	"bufio"
	"io"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/diagnosis"
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
	for _, text := range []string{s.Why, d.Decision.String()} {
		if text != "" {
			b.WriteString(wrap(text, o.width(), 0) + "\n")
		}
	}
	if len(s.Assumed) > 0 {
		b.WriteString(o.faint(wrap(sayAssumed(s.Assumed), o.width(), 0)) + "\n")
	}
	return b.Flush()
}

// createdInOrder is what no release of etcd does: a verdict "holds" rests on it.
const createdInOrder = "created=in-order"

const maskedRace = "This scenario masks one race that every etcd release has: a Created response overtakes older progress (simrun run rewatch)."

// sayAssumed says in a sentence or two what the scenario puts aside.
func sayAssumed(assumed []string) string {
	var sentences []string
	if slices.Contains(assumed, createdInOrder) {
		sentences = append(sentences, maskedRace)
	}
	others := slices.DeleteFunc(slices.Clone(assumed), func(set string) bool { return set == createdInOrder })
	if len(others) > 0 {
		sentences = append(sentences, "The scenario assumes "+strings.Join(others, ", ")+".")
	}
	return strings.Join(sentences, " ")
}
