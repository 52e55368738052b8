package report

import (
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/sim"
)

// condense makes the lines of a story out of what the nodes say of themselves.
// Left out are clients that the violation is not about, and what repeats: a
// cache that asks for progress every 100 ms says so once.
func condense(r *tracedRun) []Line {
	clients := map[string]bool{}
	for _, name := range r.system.History().Clients {
		clients[name] = true
	}
	var lines []Line
	for i := range r.trace.steps {
		st := &r.trace.steps[i]
		who := r.trace.nodes[st.node]
		if st.kind == sim.Inject {
			lines = append(lines, Line{Step: i + 1, At: st.at, Who: "fault", Text: strings.TrimPrefix(st.name, "inject ")})
		}
		if clients[who] && r.involved != nil && !r.involved[who] {
			continue
		}
		for _, note := range st.notes {
			lines = append(lines, Line{Step: i + 1, At: st.at, Who: who, Text: note})
		}
	}
	return joined(unrepeated(lines))
}

// joined makes one line of what a node says in one step.
func joined(lines []Line) []Line {
	var out []Line
	for _, l := range lines {
		if n := len(out); n > 0 && out[n-1].Step == l.Step && out[n-1].Who == l.Who {
			out[n-1].Text += "; " + l.Text
			continue
		}
		out = append(out, l)
	}
	return out
}

// often is how many lines of one kind a story tells before it only counts them.
const often = 3

// unrepeated keeps the first line of a kind that comes more than a few times,
// and the last one, which is often the one that matters.
func unrepeated(lines []Line) []Line {
	count := map[string]int{}
	for _, l := range lines {
		count[kindOf(l)]++
	}
	seen := map[string]int{}
	var kept []Line
	for _, l := range lines {
		k := kindOf(l)
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
	b.WriteString(l.Who)
	for _, word := range strings.Fields(l.Text) {
		if strings.ContainsAny(word, "0123456789=") {
			word = "#"
		}
		b.WriteString(" " + word)
	}
	return b.String()
}
