package story

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim"
)

// mostLines is how long a story gets before lines that matter as little as this
// go. What led to the violation stays.
var mostLines = [...]int{named: 24, cameOfIt: 18, nearby: 14, elsewhere: 14}

// How much a line matters: ledToIt is a step without which the violation would
// not have come about, named speaks of the revision or key that it is about or
// is a fault, cameOfIt is what became of the write that was missed or of the
// read that was wrong, nearby happened meanwhile, elsewhere after it.
const (
	ledToIt = iota
	named
	cameOfIt
	nearby
	elsewhere
)

// weighed is a line with what it matters.
type weighed struct {
	Line
	matters int
}

// condense makes the lines of a story out of what the nodes say of themselves.
// While there are too many, those that matter least go. What repeats is told
// once: a cache that asks for progress every 100 ms says so once.
func condense(r *Run) []Line {
	lines := r.weigh()
	for least := elsewhere; least > ledToIt; least-- {
		if told := joined(unrepeated(lines)); len(told) <= mostLines[least] {
			return told
		}
		lines = slices.DeleteFunc(lines, func(l weighed) bool { return l.matters == least })
	}
	return joined(unrepeated(lines))
}

// weigh makes a line of everything that is said, but for what others than those
// involved are asked and told.
func (r *Run) weigh() []weighed {
	t, c := r.Trace, &r.concern
	last := slices.Max(append([]int{-1}, c.ends...))
	led := r.before(c.ends)
	missed, asked := r.after(c.missed, last), r.after(r.callOf(c.wrong), last)
	var lines []weighed
	for i := range t.Steps {
		st := &t.Steps[i]
		matters := elsewhere
		switch {
		case led[i]:
			matters = ledToIt
		case missed[i] || asked[i]:
			matters = cameOfIt
		case i <= last:
			matters = nearby
		}
		if st.Kind == sim.Inject {
			// Shrinking leaves the faults that are needed.
			lines = append(lines, weighed{Line{Step: i + 1, At: st.At, Node: "fault", Text: strings.TrimPrefix(st.Name, "inject ")}, min(matters, named)})
		}
		for _, n := range st.Notes {
			who := t.Nodes[n.Node]
			if r.Clients[n.Node] && c.clients != nil && !c.clients[who] {
				continue
			}
			w := weighed{Line{Step: i + 1, At: st.At, Node: who, Text: n.Text}, matters}
			if i <= last && (c.names(n.Text) || st.Kind == sim.Inject) {
				w.matters = min(matters, named)
			}
			lines = append(lines, w)
		}
	}
	return lines
}

// callOf is the step at which the client began what was answered in this one.
func (r *Run) callOf(answer int) int {
	for i := answer - 1; i >= 0; i-- {
		if s := &r.Trace.Steps[i]; s.Node == r.Trace.Steps[answer].Node && s.Kind == sim.Fire {
			return i
		}
	}
	return -1
}

// joined makes one line of what a node says in one step.
func joined(lines []weighed) []Line {
	var out []Line
	for _, l := range lines {
		if n := len(out); n > 0 && out[n-1].Step == l.Step && out[n-1].Node == l.Node {
			out[n-1].Text += "; " + l.Text
			continue
		}
		out = append(out, l.Line)
	}
	return out
}

// often is how many lines of one kind a story tells before it only counts them.
const often = 5

// unrepeated keeps the first line of a kind that comes more than a few times,
// and the last one, which is often the one that matters.
func unrepeated(lines []weighed) []weighed {
	count := map[string]int{}
	for _, l := range lines {
		count[kindOf(l.Line)]++
	}
	seen := map[string]int{}
	var kept []weighed
	for _, l := range lines {
		k := kindOf(l.Line)
		n := count[k]
		seen[k]++
		switch {
		case n <= often || seen[k] == 1:
		case seen[k] == n:
			l.Text += fmt.Sprintf(" (and %d times more in between)", n-2)
		default:
			continue
		}
		kept = append(kept, l)
	}
	return kept
}

// kindOf is what lines have in common that differ in numbers and values only.
func kindOf(l Line) string {
	var b strings.Builder
	b.WriteString(l.Node)
	for _, word := range strings.Fields(l.Text) {
		if strings.ContainsAny(word, "0123456789=") {
			word = "#"
		}
		b.WriteString(" " + word)
	}
	return b.String()
}
