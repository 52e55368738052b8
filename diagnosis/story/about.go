package story

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/watchbed/watchbed/diagnosis/trace"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed"
)

// about is what a violation is about, found again in the trace.
type about struct {
	// clients are those that it is about; nil is all of them.
	clients map[string]bool
	// ends are the steps at which it came to light. The story is what led to them,
	// and what became of the operation at fault until the last of them or, if
	// something does not come that should, until that shows.
	ends  []int
	until int
	// tells are steps that have a line also if no node says anything in them.
	tells []int
	// revision is that of the change which is not shown, key the one where the
	// answer is wrong; both are empty if that is not what is wrong.
	revision int64
	key      string
	// asked is the step at which the operation at fault began, wrong the one at
	// which its answer arrived, missed the one that made what the answer does not
	// show; -1 is none.
	asked, wrong, missed int
	// compacted is the step of the compaction that makes the answer wrong, -1 if none
	// does. What led to it does not matter.
	compacted int
}

// aboutFinding finds out what the finding is about, from the explanation as a
// value.
func (r *Run) aboutFinding() about {
	a := about{asked: -1, wrong: -1, missed: -1, until: -1, compacted: -1}
	if again := r.repeated(); again.times > 0 {
		a.repeat(r, again)
		return a
	}
	switch why := r.finding.Why.(type) {
	case *linearizability.Explanation:
		a.answer(r, why)
	case *model.WatchViolation:
		a.show(r)
		a.miss(r, why.Revision)
		a.key = why.Key
	case explore.Concerned:
		a.concern(r, why.Concern())
	default:
		a.show(r)
	}
	if len(a.ends) == 0 {
		a.end(len(r.Trace.Steps) - 1)
	}
	return a
}

// answer: the answer of an operation is wrong.
func (a *about) answer(r *Run, e *linearizability.Explanation) {
	for _, op := range []int{e.Operation, e.Because, e.Write} {
		if op < 0 {
			continue
		}
		a.operation(r, op)
		if op != e.Operation {
			continue
		}
		if a.asked, a.wrong = r.operation(op); a.wrong < 0 {
			a.until = r.shows
		}
		a.key = e.Key
		if request := r.History.Operations[op].Request; a.key == "" && request.IsWrite() {
			a.key = request.Key
		}
	}
	a.miss(r, e.WriteRevision)
}

// concern: the explanation names what it is about.
func (a *about) concern(r *Run, c explore.Concern) {
	a.key = c.Key
	op := slices.IndexFunc(r.History.Operations, func(op model.Operation) bool {
		return c.Call > 0 && op.Call == c.Call
	})
	n, isNode := r.Trace.Node(c.Node)
	switch {
	case op >= 0:
		a.operation(r, op)
		if a.asked, a.wrong = r.operation(op); a.wrong < 0 {
			a.until = r.shows
		}
	case isNode && c.Began != 0:
		a.attempt(r, n, c.Began)
	case isNode:
		a.node(r, n)
	default:
		a.show(r)
	}
	a.miss(r, c.Revision)
	if c.Compaction != 0 {
		a.compacted = r.wrote(etcd.CellCompactRev, c.Compaction)
	}
}

// node: the violation is about this one. If something does not come that should,
// the step at which that shows has nothing to do with it: then it is the last
// thing that the node said, and what became of that.
func (a *about) node(r *Run, n sim.NodeID) {
	for i := r.shows; i >= 0; i-- {
		step := &r.Trace.Steps[i]
		if !slices.ContainsFunc(step.Notes, func(x trace.Note) bool { return x.Node == n }) {
			continue
		}
		a.wrong = i
		a.end(i)
		if i < r.shows {
			a.asked, a.until = i, r.shows
		}
		return
	}
	if last := r.last(n); last >= 0 {
		// It never says anything: then it is what became of the last step that it took.
		a.asked, a.until = last, r.shows
		a.tells = append(a.tells, last)
	}
	a.show(r)
}

// last is the last step of a node, -1 if it took none.
func (r *Run) last(n sim.NodeID) int {
	for i := r.shows; i >= 0; i-- {
		if r.Trace.Steps[i].Node == n {
			return i
		}
	}
	return -1
}

// attempt: what a node began at this time did not end well. It began with the last
// thing that the node said at that time, and ended with the next one.
func (a *about) attempt(r *Run, n sim.NodeID, began sim.Time) {
	for i := range r.Trace.Steps {
		step := &r.Trace.Steps[i]
		if step.Node != n || step.At < began || len(step.Notes) == 0 {
			continue
		}
		if step.At > began {
			a.wrong = i
			break
		}
		a.asked = i
	}
	a.end(a.asked)
	a.end(a.wrong)
	if a.wrong < 0 {
		a.until = r.shows
	}
}

// operation: the violation is about this one and its client.
func (a *about) operation(r *Run, op int) {
	if a.clients == nil {
		a.clients = map[string]bool{}
	}
	a.clients[r.History.Clients[r.History.Operations[op].Client]] = true
	call, answer := r.operation(op)
	a.end(call)
	a.end(answer)
}

// show: no operation is at fault; the violation is where it first shows.
func (a *about) show(r *Run) {
	a.wrong = r.shows
	a.end(a.wrong)
	if !r.late {
		a.tells = append(a.tells, a.wrong)
	}
}

// miss: the change that etcd made at a revision is not shown, or not rightly; 0
// is none. A compaction that removed it, which etcd says if it must not, led to that.
func (a *about) miss(r *Run, revision int64) {
	if revision == 0 {
		return
	}
	a.revision, a.missed = revision, r.wrote(etcd.CellRevision, revision)
	a.end(a.missed)
	removed := sim.Access{Cell: sim.Cell{Kind: etcd.CellStore, Node: r.system.Topology().Etcd, Item: revision}, Write: true}
	for i := a.missed + 1; i < r.shows; i++ {
		step := &r.Trace.Steps[i]
		if slices.Contains(step.Accesses, removed) && slices.ContainsFunc(step.Notes, func(n trace.Note) bool { return a.names(n.Value) }) {
			a.end(i)
		}
	}
}

func (a *about) end(step int) {
	if step >= 0 {
		a.ends = append(a.ends, step)
		a.until = max(a.until, step)
	}
}

// names reports whether a note is about the change that is not shown, or about
// its key if the change is not known.
func (a *about) names(n sim.Note) bool {
	s, ok := n.(sim.Subject)
	if !ok {
		return false
	}
	of := s.About()
	if a.revision != 0 {
		return of.Revision == a.revision
	}
	return a.key != "" && of.Key == a.key
}

// wrote finds the step at which etcd first wrote this item of one of its cells, -1
// if it never did.
func (r *Run) wrote(k sim.CellKind, item int64) int {
	return r.Trace.Wrote(k, r.system.Topology().Etcd, item)
}

// operation finds the steps at which a client began an operation of the history
// and heard of its outcome; -1 is never. Both take a tick.
func (r *Run) operation(op int) (call, answer int) {
	call = r.Trace.Wrote(sim.CellTicks, 0, r.History.Operations[op].Call)
	if call < 0 {
		return -1, -1
	}
	for i := call + 1; i < len(r.Trace.Steps); i++ {
		if s := &r.Trace.Steps[i]; s.Node == r.Trace.Steps[call].Node && slices.ContainsFunc(s.Accesses, func(a sim.Access) bool { return a.Write && a.Cell.Kind == sim.CellTicks }) {
			return call, i
		}
	}
	return call, -1
}

// focus keeps a slice to what the violation is about. A list reads every object of
// its range, and a cache takes in the events of all keys: only those of the key in
// question are followed, none if the violation is about no key.
func (r *Run) focus() trace.Focus {
	key := r.about.key
	if key == "" {
		key = r.keyOf(r.about.revision)
	}
	return trace.Focus{
		Spontaneous: r.spontaneous(),
		Read: func(c sim.Cell) (sim.Cell, bool) {
			switch {
			case c.Kind == etcd.CellStore && c.Item > 0:
				return c, c.Item == r.about.revision || key != "" && r.keyOf(c.Item) == key
			case c.Kind == store.CellObjects && key == "":
				return c, false
			case c.Kind == store.CellObjects && c.Item == 0:
				c.Item = store.Item(key)
				return c, true
			case c.Kind == store.CellObjects:
				return c, c.Item == store.Item(key)
			}
			return c, true
		},
	}
}

// keyOf is the key that etcd wrote at a revision, empty if that is not known.
func (r *Run) keyOf(revision int64) string {
	step := r.wrote(etcd.CellRevision, revision)
	if revision == 0 || step < 0 {
		return ""
	}
	for _, n := range r.Trace.Steps[step].Notes {
		if s, ok := n.Value.(sim.Subject); ok && s.About().Revision == revision && s.About().Key != "" {
			return s.About().Key
		}
	}
	return ""
}

// spontaneous are the nodes of the workload: all but etcd, the API servers and the
// informers, which follow a protocol.
func (r *Run) spontaneous() map[sim.NodeID]bool {
	nodes := map[sim.NodeID]bool{}
	for i := range r.Trace.Nodes {
		if n := sim.NodeID(i); r.Tiers[n] == ClientTier {
			nodes[n] = true
		}
	}
	for _, n := range r.system.Informers() {
		delete(nodes, n.ID)
	}
	return nodes
}

// round is what a run that never comes to rest does again and again until it is ended. The zero value is none.
type round struct {
	// first and last are the steps of the first round, times is how often the run goes through such steps.
	first, last, times int
}

// minRounds is how often steps have to come at the end of a run until they count as a round.
const minRounds = 3

// repeated is the round that the run ends with. It is that of most steps, and of the same number of steps the shortest
// one. A story tells its first round: the others do the same.
func (r *Run) repeated() round {
	if r.finding.Property != testbed.ComingToRest.Name {
		return round{}
	}
	names := backwards(r.Trace.Steps)
	border := borders(names)
	for n := len(names); n > 0; n-- {
		period := n - border[n]
		if n < minRounds*period {
			continue
		}
		first := len(names) - n
		for i := first; i < first+period; i++ {
			// Nothing but timers could happen there.
			if r.Trace.Steps[i].Kind == sim.Fire {
				first = i
				break
			}
		}
		return round{first, first + period - 1, (len(names) - first) / period}
	}
	return round{}
}

// backwards are the names of steps from the last one on, as numbers. Names that differ in a count, such as that of a
// message in its stream, are the same.
func backwards(steps []trace.Step) []int {
	numbers, names := map[string]int{}, make([]int, 0, len(steps))
	for i := len(steps) - 1; i >= 0; i-- {
		name := strings.Map(func(c rune) rune {
			if unicode.IsDigit(c) {
				return -1
			}
			return c
		}, steps[i].Name)
		n, known := numbers[name]
		if !known {
			n = len(numbers)
			numbers[name] = n
		}
		names = append(names, n)
	}
	return names
}

// borders are, of each beginning of a list, the length of the longest shorter beginning that it ends with (the failure
// function of Knuth, Morris and Pratt).
func borders(list []int) []int {
	border := make([]int, len(list)+1)
	for i := 1; i < len(list); i++ {
		b := border[i]
		for b > 0 && list[b] != list[i] {
			b = border[b]
		}
		if list[b] == list[i] {
			b++
		}
		border[i+1] = b
	}
	return border
}

// repeat: the violation is what the run does again and again. The story is what led to the first round.
func (a *about) repeat(r *Run, again round) {
	r.shows = again.last
	for i := again.first; i <= again.last; i++ {
		if len(r.Trace.Steps[i].Notes) == 0 {
			continue
		}
		if a.asked < 0 {
			a.asked = i
		}
		a.wrong = i
	}
	if a.wrong < 0 {
		for i := again.first; i <= min(again.last, again.first+lastOfRow); i++ {
			a.tells = append(a.tells, i)
		}
	}
	a.end(a.wrong)
	a.until = again.last
}

// String says what comes again.
func (again round) String() string {
	steps := fmt.Sprintf("steps %d to %d come", again.first+1, again.last+1)
	if again.first == again.last {
		steps = fmt.Sprintf("step %d comes", again.first+1)
	}
	return fmt.Sprintf("each client has ended, and %s again and again: %d times until the run is ended", steps, again.times)
}
