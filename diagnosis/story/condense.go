package story

import (
	"fmt"
	"slices"

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
	// cameOfIt: what became of what was asked and answered wrongly, or not at all.
	cameOfIt
	// ledToThat: what led to what became of it, if something does not come that
	// should.
	ledToThat
	// elsewhere: it has nothing to do with the violation.
	elsewhere
)

// maxLines is how long a story gets before lines go that matter as little as this.
// What led to the violation stays, and nothing is told that has nothing to do with
// it.
var maxLines = [...]int{named: 30, cameOfIt: 20, ledToThat: 20}

// weighed is a line with how much it matters.
type weighed struct {
	Line
	kind    kind
	matters matter
	// stays: the line is told also if it repeats others.
	stays bool
	// dropped is how many lines of one kind before it are not told.
	dropped int
}

// kind is what lines of one kind have in common: the node, the kind of note that it
// says, and the key that the note is about. A fault has no kind. Clients that the
// violation is not about do the same, so they count as one node, which is 0.
type kind struct {
	node      sim.NodeID
	note, key string
}

func kindOf(n *trace.Note, bystanders map[sim.NodeID]bool) kind {
	k := kind{node: n.Node, note: sim.NoteName(n.Value)}
	if bystanders[n.Node] {
		k.node = 0
	}
	if s, ok := n.Value.(sim.Subject); ok {
		k.key = s.About().Key
	}
	return k
}

// condense makes the lines of a story from what the nodes say of themselves.
// While there are too many, the first of those that matter the least go. What
// repeats is told once: a cache that asks for progress every 100 ms says so once.
func condense(r *Run) []Line {
	lines := slices.DeleteFunc(r.weigh(), func(l weighed) bool { return l.matters == elsewhere })
	for least := ledToThat; least > ledToIt; least-- {
		for len(joined(unrepeated(lines))) > maxLines[least] {
			i := slices.IndexFunc(lines, func(l weighed) bool { return l.matters == least })
			if i < 0 {
				break
			}
			lines = slices.Delete(lines, i, i+1)
		}
	}
	return joined(unrepeated(lines))
}

// weigh makes a line of everything that is said, except what clients are asked
// and told that the violation is not about.
func (r *Run) weigh() []weighed {
	t, a := r.Trace, &r.about
	s := trace.NewSlicer(t, r.focus())
	led, asked := s.Before(a.ends...), s.After(a.asked, a.until)
	ledToAsked := s.Before(marked(asked)...)
	bystanders := r.bystanders()
	parts := [][]bool{led, asked}
	if r.late {
		parts = append(parts, ledToAsked)
	}
	setBack := r.setBack(s, parts)
	parties := r.parties(led, asked)
	var lines []weighed
	for i := range t.Steps {
		step := &t.Steps[i]
		matters := elsewhere
		switch {
		case led[i]:
			matters = ledToIt
		case asked[i]:
			matters = cameOfIt
		case r.late && ledToAsked[i]:
			matters = ledToThat
		}
		fault := step.Kind == sim.Inject
		if fault {
			// Shrinking leaves the faults that are needed.
			matters = min(matters, named)
			lines = append(lines, weighed{Line{i + 1, step.At, "fault", strike(step), nil}, kind{}, matters, false, 0})
		}
		for _, n := range step.Notes {
			if fault && n.Node == 0 {
				continue
			}
			name := t.Nodes[n.Node]
			if r.Clients[n.Node] && a.clients != nil && !a.clients[name] {
				continue
			}
			if !parties.concern(name, n.Value) {
				continue
			}
			if x, ok := n.Value.(sim.Aside); ok && x.IsAside() && !a.names(n.Value) {
				continue
			}
			l := weighed{Line{i + 1, step.At, name, n.Text, []sim.Note{n.Value}}, kindOf(&n, bystanders), matters, slices.Contains(a.ends, i), 0}
			if setBack[i] {
				l.matters = min(l.matters, named)
			}
			if i == a.compacted || i <= a.until && !r.Clients[n.Node] && a.names(n.Value) {
				l.matters, l.stays = min(matters, named), true
			}
			lines = append(lines, l)
		}
		if slices.Contains(a.tells, i) && (len(lines) == 0 || lines[len(lines)-1].Step <= i) {
			lines = append(lines, weighed{r.plain(i), kind{}, ledToIt, true, 0})
		}
	}
	return lines
}

// strike is what a fault does: what it says of itself, or its name if it says nothing. A
// partition has one name for its beginning and its end.
func strike(step *trace.Step) string {
	for _, n := range step.Notes {
		if n.Node == 0 {
			return n.Text
		}
	}
	return step.Activity
}

// setBack marks the steps of these parts of the run at which something does not come
// that was asked for, the steps that such a step depends on directly, and other steps
// that set something back and depend on one of those: nothing may come of them, so
// they need not be in any part.
func (r *Run) setBack(s *trace.Slicer, parts [][]bool) []bool {
	setsBack, marked := make([]bool, len(r.Trace.Steps)), make([]bool, len(r.Trace.Steps))
	causes := map[int]bool{}
	for i := range r.Trace.Steps {
		setsBack[i] = i <= r.about.until && slices.ContainsFunc(r.Trace.Steps[i].Notes, func(n trace.Note) bool {
			x, ok := n.Value.(sim.Setback)
			return ok && x.SetsBack()
		})
		if !setsBack[i] || !slices.ContainsFunc(parts, func(part []bool) bool { return part[i] }) {
			continue
		}
		marked[i] = true
		for _, cause := range s.Direct(i) {
			marked[cause], causes[cause] = true, true
		}
	}
	r.markHoldUps(s, parts[0], setsBack, marked)
	for i := range setsBack {
		marked[i] = marked[i] || setsBack[i] && slices.ContainsFunc(s.Direct(i), func(cause int) bool { return causes[cause] })
	}
	return marked
}

// markHoldUps marks why a step that led to something late was not taken sooner: its loop took up an entry that had
// waited for the entries before it, and before those the loop was set back.
func (r *Run) markHoldUps(s *trace.Slicer, led, setsBack, marked []bool) {
	if !r.late {
		return
	}
	for i := range led {
		step := &r.Trace.Steps[i]
		if !led[i] || step.Kind != sim.Run {
			continue
		}
		put := slices.Max(append(s.Direct(i), -1))
		for since := step.Since; since > put; since = r.Trace.Steps[since].Since {
			for _, cause := range s.Direct(since) {
				if setsBack[cause] {
					marked[cause], marked[since] = true, true
				}
			}
			if r.Trace.Steps[since].Slot != step.Slot {
				break
			}
		}
	}
}

// bystanders are the clients without a history that the violation is not about.
func (r *Run) bystanders() map[sim.NodeID]bool {
	nodes := r.spontaneous()
	for n := range nodes {
		if r.Clients[n] {
			delete(nodes, n)
		}
	}
	for _, i := range r.about.ends {
		delete(nodes, r.Trace.Steps[i].Node)
	}
	return nodes
}

// marked lists the steps that are marked.
func marked(steps []bool) []int {
	var list []int
	for i, m := range steps {
		if m {
			list = append(list, i)
		}
	}
	return list
}

// joined makes one line of what a node says in one step.
func joined(lines []weighed) []Line {
	var out []Line
	for _, l := range lines {
		if n := len(out); n > 0 && out[n-1].Step == l.Step && out[n-1].Node == l.Node {
			out[n-1].Text += "; " + l.Text
			out[n-1].Says = append(out[n-1].Says, l.Says...)
			continue
		}
		out = append(out, l.Line)
	}
	return out
}

// How many lines of one kind a story tells before it only counts them: of what led
// to the violation, and of what came of it.
const (
	maxRepeats      = 5
	maxConsequences = 2
)

// repeats counts lines of one kind.
type repeats struct{ all, seen, dropped int }

// unrepeated keeps the first line of a kind that comes more than a few times,
// and the last one, which is often the one that matters. So it does with lines in a row
// whose keys differ: of a cache that takes in many events one after the other.
func unrepeated(lines []weighed) []weighed {
	type class struct {
		kind
		consequence bool
	}
	counts := map[class]*repeats{}
	of := func(l *weighed) *repeats {
		c := class{l.kind, l.matters >= cameOfIt}
		if counts[c] == nil {
			counts[c] = &repeats{}
		}
		return counts[c]
	}
	for i := range lines {
		of(&lines[i]).all++
	}
	var kept []weighed
	for _, l := range lines {
		n, limit := of(&l), maxRepeats
		if l.matters >= cameOfIt {
			limit = maxConsequences
		}
		n.seen++
		last := n.seen == n.all
		if n.all > limit && n.seen > 1 && !last && !l.stays {
			n.dropped++
			continue
		}
		if last {
			l.dropped = n.dropped
		}
		kept = append(kept, l)
	}
	kept = inRows(kept)
	for i := range kept {
		if l := &kept[i]; l.dropped > 0 {
			l.Text += fmt.Sprintf(" (and %s more in between)", times(l.dropped))
		}
	}
	return kept
}

// lastOfRow is how many lines at the end of a row are told: an event that goes back does so behind the one before it.
const lastOfRow = 2

// inRows does for rows of lines what unrepeated does for a kind.
func inRows(lines []weighed) []weighed {
	var kept []weighed
	for len(lines) > 0 {
		n := rowOf(lines)
		row := lines[:n]
		lines = lines[n:]
		dropped := 0
		for i, l := range row {
			if n > maxRepeats && i > 0 && i < n-lastOfRow && !l.stays {
				dropped += 1 + l.dropped
				continue
			}
			if i == n-lastOfRow {
				l.dropped += dropped
			}
			kept = append(kept, l)
		}
	}
	return kept
}

// rowOf is how many lines from the first on are a row: a node says them, each in a step of its own, with notes of one
// Go type, and all before the violation or all after it.
func rowOf(lines []weighed) int {
	first, n := &lines[0], 1
	for n < len(lines) {
		l := &lines[n]
		if first.kind.note == "" || l.kind.note != first.kind.note || l.Node != first.Node || l.Step == lines[n-1].Step ||
			(l.matters >= cameOfIt) != (first.matters >= cameOfIt) {
			break
		}
		n++
	}
	return n
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
