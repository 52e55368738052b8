package prove

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

// worker expands states of one layer. It has a subject of its own, and shares what it learns.
type worker struct {
	subject  Subject
	liveness Liveness
	bounds   Bounds
	learned  *learned
	stepper  *Stepper
	tree     *tree
	visited  *visited
	frontier *frontier
	mustStop func() bool
	twins    *twins
	// properties is how many the subject judges.
	properties int
	// fixed is how many questions were asked before the first state.
	fixed int
	// first is the world of the first state. starts: a timed run starts in one of many ways, as its
	// questions before the first step are answered. State 0 is before the start then, in which nothing
	// of built has started, and first is one of those behind it. started is the last that was made.
	first          *sim.World
	starts         bool
	built, started *sim.World
	// seesNodes and remembers are the subject's. remembered is the subject's memory in the first state, memory in the
	// state in question.
	seesNodes, remembers bool
	remembered, memory   any
	// path has the states on the way to the expanded state, the first state first. found is a state that
	// was kept.
	path  []place
	found place
	// at is the place from which steps are taken, here its world, which is made if it is needed.
	at     *place
	isHere bool
	here   *sim.World
	// there is the world of the state that the present step led to, isThere whether it has been made.
	there   *sim.World
	isThere bool
	// buffer is the memory of that state, actions of the list of what is enabled, seen of a chunk.
	buffer  State
	actions []sim.Action
	seen    map[key]struct{}
}

// place is a state with its parts.
type place struct {
	state uint32
	parts State
	// memory is what the subject remembers of the steps to it.
	memory any
	// fired is which timers have fired how often on the way to it, a number of learned.fired.
	fired uint32
	// free is how many firings on the way to it no bound has counted; in a timed run, how many steps
	// were taken since time has passed.
	free uint32
	// view is the number of what the judges see of it.
	view uint32
}

// candidate is a state that a chunk of a layer led to and that was not visited before the
// layer.
type candidate struct {
	key    key
	parent uint32
	step   step
	// failures are what the step violates.
	failures []explore.Failure
	// at is where the step led to. Its parts are those of the chunk from first up to last.
	at          place
	first, last int
}

// chunk is what a part of a layer led to.
type chunk struct {
	counts
	candidates []candidate
	// parts are those of candidates, among what was learned.
	parts   []uint32
	learned *learned
	// failed are the steps that violate something. What comes after them is not looked at.
	failed []candidate
	twins  []twin
	// stopped is what a bound kept from firing.
	stopped map[timer]Cut
	// expanded are the states with what is open in them and the edges out of those in which
	// something is, if the subject has a liveness property. reached is how many steps reached it.
	// led are the keys of the states to which these edges lead, in the order of the edges.
	expanded []expanded
	led      []key
	reached  int
	// endless says what goes on without end.
	endless string
	err     error
}

func newWorker(subject Subject, s *search) (*worker, error) {
	w := &worker{
		subject: subject, seesNodes: subject.SeesNodes(), remembers: subject.Remembers(), liveness: subject.Liveness(), bounds: s.cfg.Bounds,
		tree: s.tree, visited: s.visited, frontier: &s.frontier, mustStop: s.mustStop, twins: &s.twins, properties: len(s.properties),
		first: sim.NewWorld(subject.Options()), here: &sim.World{}, there: &sim.World{}, seen: map[key]struct{}{},
	}
	w.first.OmitNames()
	if w.starts = subject.Options().Mode == sim.Timed; w.starts {
		w.built, w.started, w.first = w.first, &sim.World{}, &sim.World{}
		explore.Build(subject, w.built)
		if err := CheckOwn(w.built, stateMethods...); err != nil {
			return nil, err
		}
		if err := w.built.Fork(w.first); err != nil {
			return nil, err
		}
		w.first.Start(&Path{})
	} else {
		start := &Path{}
		explore.Begin(subject, w.first, start)
		if err := CheckOwn(w.first, stateMethods...); err != nil {
			return nil, err
		}
		w.fixed = start.fixed
	}
	if w.remembers && !w.starts {
		w.remembered = subject.Remembered(w.first)
	}
	for _, x := range []*sim.World{w.here, w.there} {
		if err := w.first.Fork(x); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// use has the worker go on with what was learned anew.
func (w *worker) use(l *learned) error {
	stepper, first, err := l.parts.Stepper(w.first)
	if err != nil {
		return err
	}
	w.learned, w.stepper = l, stepper
	w.path = append(w.path[:0], place{parts: first, view: l.view(first), memory: w.remembered})
	return nil
}

// enter has steps taken from a place.
func (w *worker) enter(p *place) {
	w.at, w.isHere = p, false
	w.memory = p.memory
}

// world is that of the place from which steps are taken.
func (w *worker) world() *sim.World {
	if !w.isHere {
		w.here, w.isHere = w.stepper.World(w.at.parts, w.here), true
	}
	return w.here
}

// worldThere is that of the state to which the present step led.
func (w *worker) worldThere() *sim.World {
	if !w.isThere {
		w.there, w.isThere = w.stepper.World(w.buffer, w.there), true
	}
	return w.there
}

// enabled lists what can happen next at the place from which steps are taken.
func (w *worker) enabled() []sim.Action {
	if w.learned.parts.Faults(w.at.parts) {
		return w.world().Enabled()
	}
	w.actions = w.learned.parts.Enabled(w.at.parts, w.actions)
	return w.actions
}

// key tells states apart. world is that of the place, made if it is needed.
func (w *worker) key(p *place, world func() *sim.World) key {
	view := w.view(p.view, world)
	behaviour := w.stepper.Behaviour(p.parts)
	return keyOf(w.learned.fired.sets.At(p.fired).digest(behaviour.Fold(view.past)))
}

// expand looks at the states from first up to last, which belong to one layer.
func (w *worker) expand(first, last uint32) *chunk {
	c := &chunk{learned: w.learned, stopped: map[timer]Cut{}, counts: newCounts(w.properties)}
	clear(w.seen)
	c.err = explore.Settled(func() error {
		for s := first; s < last && c.err == nil; s++ {
			var from *place
			if from, c.err = w.goTo(s); c.err == nil {
				w.successors(c, from)
			}
		}
		return c.err
	})
	return c
}

// stop notes that a bound kept a timer from firing. A timer has its name only while it is
// armed.
func (c *chunk) stop(t timer, name func() string) {
	s, known := c.stopped[t]
	if !known {
		s.Timer = name()
	}
	s.Times++
	c.stopped[t] = s
}

// goTo returns the place of a state. If it was not kept, it is made from that of the last
// state before it which the path still has.
func (w *worker) goTo(state uint32) (*place, error) {
	if p, kept := w.frontier.find(state); kept {
		w.found = p
		return &w.found, nil
	}
	type hop struct {
		state uint32
		step  step
	}
	var ahead []hop
	for s := state; ; {
		// Numbers rise along a path.
		for w.path[len(w.path)-1].state > s {
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
		w.enter(&w.path[len(w.path)-1])
		var a sim.Action
		if !w.isBeforeStart() {
			a = w.enabled()[step.action()]
		}
		next := w.take(a, step.chooser(w.bounds.Answers))
		next.state = ahead[i].state
		w.pushPath(next)
	}
	return &w.path[len(w.path)-1], nil
}

// pushPath goes on with the path, in the memory of its earlier states.
func (w *worker) pushPath(p place) {
	n := len(w.path)
	if n < cap(w.path) {
		w.path = w.path[:n+1]
	} else {
		w.path = append(w.path, place{})
	}
	own := append(w.path[n].parts[:0], p.parts...)
	w.path[n] = p
	w.path[n].parts = own
}

// answering answers the questions of one step.
type answering interface {
	sim.Chooser
	// Number tells apart the answers that it gives.
	Number() uint64
}

// isBeforeStart reports whether nothing has started at the place that was entered.
func (w *worker) isBeforeStart() bool { return w.starts && w.at.state == 0 }

// start takes the step from before the start.
func (w *worker) start(c answering) place {
	if err := w.built.Fork(w.started); err != nil {
		panic(err) // it was possible before
	}
	w.started.Start(c)
	w.buffer = w.stepper.Apart(w.started, nil, w.buffer)
	next := place{parts: w.buffer}
	if w.remembers {
		w.subject.Adopt(w.started)
		next.memory = w.subject.Remembered(w.started)
		w.memory = next.memory
	}
	return w.healed(next)
}

// healed is where a timed run goes on: the subject may end the safety phase (explore.Subject.Over).
func (w *worker) healed(next place) place {
	if w.starts && w.learned.parts.Phase(next.parts) == sim.Safety {
		world := w.worldThere()
		w.subject.Adopt(world)
		if w.subject.Over(world); world.Phase() != sim.Safety {
			w.buffer = w.stepper.Apart(world, next.parts, w.buffer)
			next.parts = w.buffer
		}
	}
	next.view = w.learned.view(next.parts)
	return next
}

// take takes one step from the place that was entered. What it leads to is valid until the next one.
func (w *worker) take(a sim.Action, c answering) place {
	w.isThere = false
	if w.isBeforeStart() {
		return w.start(c)
	}
	from := w.at
	next := place{fired: from.fired, free: from.free}
	if t, counted := w.counted(a); counted {
		next.fired = w.learned.firedAnd(from.fired, t)
	} else if w.isFree(a) {
		next.free++
	}
	next.parts, _ = w.stepper.Take(from.parts, a, c, c.Number(), w.buffer)
	w.buffer = next.parts
	switch next.view = from.view; {
	case w.starts:
		if next.free++; w.learned.parts.Now(next.parts) != w.learned.parts.Now(from.parts) {
			next.free = 0
		}
		next = w.healed(next)
	case !w.learned.haveOneView(from.parts, next.parts):
		next.view = w.learned.view(next.parts)
	}
	w.remember(&next, a)
	return next
}

// remember has a state take over what the subject remembers after the step to it.
func (w *worker) remember(next *place, a sim.Action) {
	if w.remembers {
		world := w.worldThere()
		w.subject.Adopt(world)
		next.memory = w.subject.Remember(w.at.memory, world, a)
		w.memory = next.memory
	}
}

// successors takes each step out of a state.
func (w *worker) successors(c *chunk, from *place) {
	w.enter(from)
	if w.isBeforeStart() {
		w.combinations(c, 0, sim.Action{})
		return
	}
	at := w.outlook(from.view, w.world)
	if w.liveness != nil {
		c.expanded = append(c.expanded, expanded{open: at.open})
	}
	switch {
	case at.cut:
		c.Cut++
		return
	case at.over:
		c.Ended++
		return
	case w.starts && from.free >= maxInstant && w.bounds.Depth == 0:
		c.endless = fmt.Sprintf("no time passes: %d steps came at %v, each in a new state; give messages and loops time (--set network=1ms --set scheduling=1ms)",
			from.free, w.world().Now().Sub(0))
	}
	went, stopped := false, false
	for i, a := range w.enabled() {
		t, counted := w.counted(a)
		if !counted && from.free >= maxFree && w.bounds.Depth == 0 && w.isFree(a) {
			c.endless = fmt.Sprintf("%s of %s has fired at rest again and again, each time in a new state", w.world().Activity(a), w.first.NodeName(a.Node))
		}
		if counted && w.learned.fired.sets.At(from.fired).of(t) >= w.bounds.TimerBound {
			c.stop(t, func() string { return w.world().Activity(a) })
			if w.liveness != nil {
				c.keep(threadOf(w.world(), a))
			}
			stopped = true
			continue
		}
		went = true
		w.combinations(c, i, a)
	}
	switch {
	case went:
	case stopped:
		c.Cut++
	default:
		c.Rested++
	}
}

// combinations takes a step with each combination of answers to its questions.
func (w *worker) combinations(c *chunk, i int, a sim.Action) {
	given := explore.Combination{Most: w.bounds.Answers}
	if given.Most > 0 {
		given.Spread = c.noteSpread
	}
	for n, more := 1, true; more && c.err == nil; n, more = n+1, given.Next() {
		if c.err = w.successor(c, i, a, &given); c.err == nil && n%answersBetweenLooks == 0 && w.mustStop() {
			c.err = errStopped
		}
	}
}

// answersBetweenLooks is after how many answers to one step a worker looks whether it must stop.
const answersBetweenLooks = 1 << 10

// unjudged is what is said of the start, which is no step.
var unjudged judgement

// successor takes one step out of the state that was entered, and notes where it leads if that is new.
func (w *worker) successor(c *chunk, i int, a sim.Action, given *explore.Combination) error {
	starting := w.isBeforeStart()
	if !starting {
		c.Transitions++
	}
	next, panicked := w.tryStep(a, given)
	taken, err := newStep(i, given)
	if err != nil {
		return err
	}
	if panicked != nil {
		c.failed = append(c.failed, candidate{parent: w.at.state, step: taken, failures: []explore.Failure{panicked.Failure()}})
		return nil
	}
	k := w.key(&next, w.worldThere)
	judged := &unjudged
	if !starting {
		judged = w.judge(next.view, a, w.worldThere)
	}
	for _, i := range judged.checked {
		c.Checked[i]++
	}
	if judged.failures != nil {
		c.failed = append(c.failed, candidate{key: k, parent: w.at.state, step: taken, failures: judged.failures})
		return nil
	}
	if w.liveness != nil {
		c.lead(threadOf(w.world(), a), k, w.outlook(next.view, w.worldThere).open)
	}
	if known, err := w.visited.has(k); err != nil {
		return fmt.Errorf("cannot read the states that memory does not hold: %w", err)
	} else if known {
		c.meet(w.twins, twin{k, w.at.state, taken})
		return nil
	}
	if _, again := w.seen[k]; again {
		c.meet(w.twins, twin{k, w.at.state, taken})
		return nil
	}
	w.seen[k] = struct{}{}
	first := len(c.parts)
	c.parts = append(c.parts, next.parts...)
	next.parts = nil
	c.candidates = append(c.candidates, candidate{key: k, parent: w.at.state, step: taken, at: next, first: first, last: len(c.parts)})
	return nil
}

// tryStep is take, and the finding of a panic in simulated code.
func (w *worker) tryStep(a sim.Action, c answering) (next place, panicked *explore.Finding) {
	panicked = explore.Panicked(func() { next = w.take(a, c) })
	return next, panicked
}
