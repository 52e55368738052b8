package prove

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/answers"
	"github.com/watchbed/watchbed/explore/fair"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// worker expands states of one layer. It has a subject of its own, and worlds that no other
// worker has.
type worker struct {
	subject Subject
	goal    Goal
	bounds  Bounds
	tree    *tree
	visited *visited
	// properties is how many the subject judges.
	properties int
	// fixed is how many questions were asked before the first state.
	fixed int
	// symmetry is nil if each node is told apart.
	symmetry *symmetry
	// remembered are the nodes on which the past depends.
	remembered []sim.NodeID
	// path has worlds of states on the way to one that is expanded, the first state first.
	path []place
	// frontier has places of states that are still to be expanded.
	frontier frontier
	// unused are worlds whose memory the next clones take.
	unused []*sim.World
}

// place is a state with its world.
type place struct {
	state   uint32
	world   *sim.World
	firings firings
	// free is how many firings on the way to it no bound has counted.
	free int
	// past is what Subject.Past says of the world; it counts if pastKnown.
	past      sim.Digest
	pastKnown bool
	// own is what it says of each of the nodes that cannot be told apart.
	own []sim.Digest
	// stands is how many states differ from it only in who is who of them, with itself.
	stands int
}

// candidate is a state that a chunk of a layer led to and that was not visited before the
// layer.
type candidate struct {
	key    key
	parent uint32
	step   step
	// failures are what the step violates.
	failures []explore.Failure
	// at is where the step led to; its world is nil if it was not kept.
	at place
	// stands is how many states it stands for.
	stands int
}

// chunk is what a part of a layer led to.
type chunk struct {
	// by is the worker that expanded it.
	by         *worker
	candidates []candidate
	seen       map[key]struct{}
	// failed are the steps that violate something. What comes after them is not looked at.
	failed []candidate
	// checked is, by property, how many steps put it to the test.
	checked     []int
	transitions int
	// ended are the states in which the subject said that the run is over, rested those in which
	// nothing more could happen although it did not, cut those in which only the bounds kept
	// something from happening.
	ended, rested, cut int
	// stopped is what a bound kept from firing.
	stopped map[timer]Stopped
	// expanded are the states with what is open in them and the edges out of those in which
	// something is, if the subject has a goal. reached is how many steps reached it.
	// led are the keys of the states to which these edges lead, in the order of the edges.
	expanded []expanded
	led      []key
	reached  int
	// endless is a timer that fires once more behind maxFree firings that no bound has counted.
	endless string
	err     error
}

func newWorker(s Subject, b Bounds, t *tree, v *visited, properties int) *worker {
	w := &worker{subject: s, goal: s.Goal(), bounds: b, tree: t, visited: v, properties: properties}
	first, start := sim.NewWorld(s.Options()), &Path{}
	first.OmitNames()
	explore.Begin(s, first, start)
	first.UseMemo(sim.NewMemo(Alike))
	w.path, w.fixed = []place{{world: first}}, start.fixed
	for n := range sim.NodeID(first.Nodes()) {
		if s.PastOf(n) {
			w.remembered = append(w.remembered, n)
		}
	}
	return w
}

// useSymmetry has the worker not tell apart what its subject cannot, if there is no goal.
func (w *worker) useSymmetry() {
	y, ok := w.subject.(Symmetric)
	if !ok || w.goal != nil {
		return
	}
	if sets := y.Alike(); len(sets) > 0 {
		w.symmetry = newSymmetry(sets, w.path[0].world.Nodes())
	}
}

// key tells states apart.
func (w *worker) key(p *place) (key, error) {
	w.subject.Adopt(p.world)
	past := w.past(p)
	behaviour, err := w.behaviour(p)
	if err != nil {
		return key{}, err
	}
	return w.visited.form.of(p.firings.digest(behaviour.Fold(past))), nil
}

// behaviour is that of a place whose past is known.
func (w *worker) behaviour(p *place) (behaviour sim.Digest, err error) {
	if w.symmetry != nil {
		behaviour, p.stands, err = w.symmetry.of(p.world, p.own)
		return behaviour, err
	}
	return p.world.Behaviour()
}

// past is what the judges still need to know, of the world that the subject has adopted.
func (w *worker) past(p *place) sim.Digest {
	switch {
	case p.pastKnown:
	case w.symmetry != nil:
		p.own = slices.Repeat([]sim.Digest{sim.NewDigest}, len(w.symmetry.members))
		p.past = w.subject.(Symmetric).PastApart(sim.NewDigest, p.own)
	default:
		p.past = w.subject.Past(sim.NewDigest)
	}
	p.pastKnown = true
	return p.past
}

// expand looks at the states from first up to last, which belong to one layer.
func (w *worker) expand(first, last uint32) *chunk {
	c := &chunk{by: w, seen: map[key]struct{}{}, stopped: map[timer]Stopped{}, checked: make([]int, w.properties)}
	for s := first; s < last && c.err == nil; s++ {
		var from *place
		if from, c.err = w.goTo(s); c.err == nil {
			w.successors(c, from)
		}
	}
	return c
}

// stop notes that a bound kept a timer from firing. A timer has its name only while it is
// armed.
func (c *chunk) stop(t timer, name string) {
	s := c.stopped[t]
	c.stopped[t] = Stopped{Timer: name, Times: s.Times + 1}
}

// goTo returns the world of a state. If it was not kept, it is made from that of the last
// state before it which the path still has.
func (w *worker) goTo(state uint32) (*place, error) {
	if p := w.frontier.visit(w, state); p != nil {
		return p, nil
	}
	type hop struct {
		state uint32
		step  step
	}
	var ahead []hop
	for s := state; ; {
		// Numbers rise along a path.
		for w.path[len(w.path)-1].state > s {
			w.drop(&w.path[len(w.path)-1])
			w.path = w.path[:len(w.path)-1]
		}
		if w.path[len(w.path)-1].state == s {
			break
		}
		parent, step, err := w.tree.at(s)
		if err != nil {
			return nil, err
		}
		ahead = append(ahead, hop{s, step})
		s = parent
	}
	for i := len(ahead) - 1; i >= 0; i-- {
		step := ahead[i].step
		from := &w.path[len(w.path)-1]
		next, err := w.take(from, from.world.Enabled()[step.action()], step.chooser())
		if err != nil {
			return nil, err
		}
		next.state = ahead[i].state
		w.path = append(w.path, next)
		// Its clones take over what is kept of its nodes' behaviour.
		if _, err := next.world.Behaviour(); err != nil {
			return nil, err
		}
	}
	return &w.path[len(w.path)-1], nil
}

// answering answers the questions of one step.
type answering interface {
	sim.Chooser
	// Number tells apart the answers that it gives.
	Number() uint64
	// Again has it answer from the first question on.
	Again()
}

// take carries out one step in a clone.
func (w *worker) take(from *place, a sim.Action, c answering) (place, error) {
	world := &sim.World{}
	if n := len(w.unused); n > 0 {
		world, w.unused = w.unused[n-1], w.unused[:n-1]
	}
	next := place{world: world, firings: from.firings, free: from.free}
	if t, counted := w.counted(from.world, a); counted {
		next.firings = from.firings.and(t)
	} else if w.isFree(a) {
		next.free++
	}
	if err := from.world.Fork(world); err != nil {
		return place{}, err
	}
	given := c.Number()
	if !world.DoAgain(c, a, given) {
		if err := from.world.Fork(world); err != nil {
			return place{}, err
		}
		c.Again()
		world.DoAnew(c, a, given)
	}
	if from.pastKnown && w.samePast(from.world, world) {
		next.past, next.own, next.pastKnown = from.past, from.own, true
	}
	return next, nil
}

// samePast reports whether no node has acted on which the past depends.
func (w *worker) samePast(before, after *sim.World) bool {
	for _, n := range w.remembered {
		if before.Node(n) != after.Node(n) {
			return false
		}
	}
	return true
}

// drop ends the use of a place.
func (w *worker) drop(p *place) {
	w.unused = append(w.unused, p.world)
	p.world = nil
}

// isFree reports whether an action fires a timer that can fire without end, if no bound counts
// it.
func (w *worker) isFree(a sim.Action) bool { return a.Kind == sim.Fire && w.subject.Endless(a.Node) }

// counted is the timer that an action fires, if a bound counts it.
func (w *worker) counted(world *sim.World, a sim.Action) (timer, bool) {
	if !w.isFree(a) {
		return timer{}, false
	}
	if w.goal != nil && !world.IsDeadline(a) && fair.AtRest(world) {
		return timer{}, false
	}
	return timer{a.Node, world.TimerOf(a)}, true
}

// successors takes each step out of a state.
func (w *worker) successors(c *chunk, from *place) {
	w.subject.Adopt(from.world)
	w.past(from)
	if w.goal != nil {
		c.expanded = append(c.expanded, expanded{open: w.goal.Open()})
	}
	if w.subject.Over(from.world) {
		c.ended++
		return
	}
	went, stopped := false, false
	for i, a := range from.world.Enabled() {
		t, counted := w.counted(from.world, a)
		if !counted && from.free >= maxFree && w.bounds.Depth == 0 && w.isFree(a) {
			c.endless = fmt.Sprintf("%s of %s", from.world.Activity(a), from.world.NodeName(a.Node))
		}
		if counted && from.firings.of(t) >= w.bounds.Firings {
			c.stop(t, from.world.Activity(a))
			if w.goal != nil {
				c.keep(threadOf(from.world, a))
			}
			stopped = true
			continue
		}
		went = true
		var given answers.Combination
		for more := true; more && c.err == nil; more = given.Next() {
			c.err = w.successor(c, from, i, a, &given)
		}
	}
	switch {
	case went:
	case stopped:
		c.cut++
	default:
		c.rested++
	}
}

// successor takes one step out of a state, and notes where it leads if that is new.
func (w *worker) successor(c *chunk, from *place, i int, a sim.Action, given *answers.Combination) error {
	c.transitions++
	next, panicked, err := w.tryStep(from, a, given)
	if err != nil {
		return err
	}
	found := candidate{parent: from.state}
	if found.step, err = newStep(i, given); err != nil {
		return err
	}
	if panicked != nil {
		found.failures = []explore.Failure{panicked.Failure()}
	} else {
		if found.key, err = w.key(&next); err != nil {
			return err
		}
		found.stands = next.stands
		w.judge(c, &found, next.world, a)
		if w.goal != nil && found.failures == nil {
			c.lead(threadOf(from.world, a), found.key, w.goal.Open())
		}
	}
	if found.failures != nil {
		c.failed = append(c.failed, found)
	} else if known, err := w.visited.has(found.key); err != nil {
		return fmt.Errorf("cannot read the states that memory does not hold: %w", err)
	} else if !known {
		if _, again := c.seen[found.key]; !again {
			c.seen[found.key] = struct{}{}
			w.frontier.offer(&found, &next)
			c.candidates = append(c.candidates, found)
		}
	}
	if next.world != nil {
		w.drop(&next)
	}
	return nil
}

// tryStep is take, and the finding of a panic in simulated code.
func (w *worker) tryStep(from *place, a sim.Action, c answering) (next place, panicked *explore.Finding, err error) {
	over := false
	defer func() {
		if over {
			return
		}
		if stack, ok := explore.SimulatedStack(); ok {
			f := explore.PanicFinding(recover(), stack)
			panicked = &f
		}
	}()
	next, err = w.take(from, a, c)
	over = true
	return next, nil, err
}

// judge notes what a step put to the test, and what it violated. Each step is judged, also
// one to a state that was visited before: the verdict depends on the past of the state from
// which the step was taken.
func (w *worker) judge(c *chunk, found *candidate, world *sim.World, a sim.Action) {
	for i, f := range w.subject.JudgeStep(world, a) {
		if f.Exercised > 0 {
			c.checked[i]++
		}
		if f.Verdict == model.Violated {
			found.failures = append(found.failures, f.Failure())
		}
	}
}
