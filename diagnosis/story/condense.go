package story

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/watchbed/watchbed/diagnosis/slice"
	"github.com/watchbed/watchbed/diagnosis/trace"
	"github.com/watchbed/watchbed/sim"
)

// matter is how much a line matters.
type matter int

const (
	// ledToIt: without the step the violation would not have come about.
	ledToIt matter = iota
	// named: it is about the revision or the key that is missed, or is a fault.
	named
	// cameOfIt: what became of the write that was missed, or of the read that was
	// answered wrongly.
	cameOfIt
	// nearby happened meanwhile, elsewhere after it.
	nearby
	elsewhere
)

// maxLines is how long a story gets before the lines go that matter as little as
// this. What led to the violation stays.
var maxLines = [...]int{named: 24, cameOfIt: 18, nearby: 14, elsewhere: 14}

// weighed is a line with how much it matters.
type weighed struct {
	Line
	kind    kind
	matters matter
	// stays: the line is told also if it repeats others.
	stays bool
}

// kind is what lines of one kind have in common: the node, the Go type of what it
// says, and the key that the note is about. A fault has no type.
type kind struct {
	node sim.NodeID
	note reflect.Type
	key  string
}

func kindOf(n *trace.Note) kind {
	k := kind{node: n.Node, note: reflect.TypeOf(n.Value)}
	if s, ok := n.Value.(sim.Subject); ok {
		k.key = s.About().Key
	}
	return k
}

// condense makes the lines of a story from what the nodes say of themselves.
// While there are too many, those that matter the least go. What repeats is told
// once: a cache that asks for progress every 100 ms says so once.
func condense(r *Run) []Line {
	lines := r.weigh()
	for least := elsewhere; least > ledToIt; least-- {
		if told := joined(unrepeated(lines)); len(told) <= maxLines[least] {
			return told
		}
		lines = slices.DeleteFunc(lines, func(l weighed) bool { return l.matters == least })
	}
	return joined(unrepeated(lines))
}

// weigh makes a line of everything that is said, except what clients are asked
// and told that the violation is not about.
func (r *Run) weigh() []weighed {
	t, a := r.Trace, &r.about
	last := slices.Max(append([]int{-1}, a.ends...))
	s := slice.New(t, r.Clients)
	led, missed, asked := s.Before(a.ends...), s.After(a.missed, last), s.After(a.asked, last)
	var lines []weighed
	for i := range t.Steps {
		step := &t.Steps[i]
		matters := elsewhere
		switch {
		case led[i]:
			matters = ledToIt
		case missed[i] || asked[i]:
			matters = cameOfIt
		case i <= last:
			matters = nearby
		}
		fault := step.Kind == sim.Inject
		if fault {
			// Shrinking leaves the faults that are needed.
			matters = min(matters, named)
			lines = append(lines, weighed{Line{i + 1, step.At, "fault", step.Activity}, kind{}, matters, false})
		}
		for _, n := range step.Notes {
			name := t.Nodes[n.Node]
			if r.Clients[n.Node] && a.clients != nil && !a.clients[name] {
				continue
			}
			l := weighed{Line{i + 1, step.At, name, n.Text}, kindOf(&n), matters, slices.Contains(a.ends, i)}
			if i <= last && a.names(n.Value) {
				l.matters, l.stays = min(matters, named), true
			}
			lines = append(lines, l)
		}
	}
	return lines
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

// maxRepeats is how many lines of one kind a story tells before it only counts
// them.
const maxRepeats = 5

// unrepeated keeps the first line of a kind that comes more than a few times,
// and the last one, which is often the one that matters.
func unrepeated(lines []weighed) []weighed {
	count, seen, dropped := map[kind]int{}, map[kind]int{}, map[kind]int{}
	for _, l := range lines {
		count[l.kind]++
	}
	var kept []weighed
	for _, l := range lines {
		n := count[l.kind]
		seen[l.kind]++
		last := seen[l.kind] == n
		if n > maxRepeats && seen[l.kind] > 1 && !last && !l.stays {
			dropped[l.kind]++
			continue
		}
		if last && dropped[l.kind] > 0 {
			l.Text += fmt.Sprintf(" (and %s more in between)", times(dropped[l.kind]))
		}
		kept = append(kept, l)
	}
	return kept
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
