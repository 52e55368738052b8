package testbed

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

// Recorded makes the judge of a property of what a run has recorded so far. The judge looks at all
// of it each time, and keeps nothing.
func Recorded(judge func(s *System, w *sim.World, all *Tally)) func(*System) Judge {
	return RecordedBy(ofItself, judge)
}

// RecordedBy is Recorded with what follows from the system, which is made once.
func RecordedBy[T any](make func(*System) T, judge func(of T, w *sim.World, all *Tally)) func(*System) Judge {
	return func(s *System) Judge { return &recorded[T]{make(s), judge} }
}

// AtRest is Recorded of a run in which nothing more can happen. A run does not come to that where etcd's ticker goes on
// (draft-2019).
func AtRest(judge func(s *System, w *sim.World, all *Tally)) func(*System) Judge {
	return AtRestBy(ofItself, judge)
}

// AtRestBy is AtRest with what follows from the system, which is made once.
func AtRestBy[T any](make func(*System) T, judge func(of T, w *sim.World, all *Tally)) func(*System) Judge {
	return func(s *System) Judge {
		return &recorded[T]{make(s), func(of T, w *sim.World, all *Tally) {
			if s.IsAtRest(w) {
				judge(of, w, all)
			}
		}}
	}
}

// RecordedIn is Recorded of what nodes of this part record, for which a search asks after their steps.
func RecordedIn(part Part, judge func(s *System, w *sim.World, all *Tally)) func(*System) Judge {
	return AfterStepsBy(func(s *System) *recordedIn { return &recordedIn{s, judge} }, func(*recordedIn, *sim.World, sim.Action, *Tally) {}, part)
}

type recordedIn struct {
	system *System
	judge  func(*System, *sim.World, *Tally)
}

func (r *recordedIn) Conclude(w *sim.World, all *Tally) { r.judge(r.system, w, all) }

func ofItself(s *System) *System { return s }

type recorded[T any] struct {
	of    T
	judge func(T, *sim.World, *Tally)
}

func (*recorded[T]) Reset() {}

func (r *recorded[T]) Finding(w *sim.World) explore.Finding {
	var all Tally
	r.judge(r.of, w, &all)
	return all.Finding()
}

func (r *recorded[T]) MonitorState() MonitorState {
	state, _ := any(r.of).(MonitorState)
	return state
}

// AfterStepsBy makes the judge of a property that steps of the nodes with these parts hold or
// violate, of all nodes if none is given. T is what it has seen of a run, and may have the methods of
//
//   - Observer, to begin with a run,
//   - Follower, in the place of parts,
//   - Concluder, to judge more than steps,
//   - MonitorState,
//   - and Copy(seen T) T, to be remembered (Remembering): a copy of what the judge of this system, or
//     of an equal one, has seen.
func AfterStepsBy[T any](make func(*System) T, step func(of T, w *sim.World, a sim.Action, all *Tally), parts ...Part) func(*System) Judge {
	return func(s *System) Judge {
		j := stepwise[T]{of: make(s), step: step}
		for _, p := range parts {
			j.parts |= 1 << p
		}
		if _, ok := any(j.of).(copier[T]); ok {
			return &remembering[T]{stepwise: j}
		}
		return &j
	}
}

// EachInformer makes the judge of a property that steps of informers hold or violate. It has seen of
// each as much as E says in a run so far.
func EachInformer[E any](look func(s *System, w *sim.World, n *Informer, seen *E, all *Tally)) func(*System) Judge {
	return Each(InformerNode, func(s *System, w *sim.World, place int, seen *E, all *Tally) {
		look(s, w, s.informers[place], seen, all)
	}, TheWorld)
}

// EachCache makes the judge of a property that steps of caches hold or violate. It has seen of each as
// much as E says in a run so far.
func EachCache[E any](look func(s *System, w *sim.World, c *Cache, seen *E, all *Tally)) func(*System) Judge {
	return Each(CacheNode, func(s *System, w *sim.World, place int, seen *E, all *Tally) { look(s, w, s.caches[place], seen, all) })
}

// Each makes the judge of a property that steps of the nodes of a part hold or violate: a node is looked
// at after its own steps, and all are after steps of other parts that are named. It has seen of each node as
// much as E says in a run so far. E may have the methods of
//
//   - eachConcluder, to judge more than steps,
//   - eachState, if a monitor's state is of what was seen. It is remembered then (Remembering), and what
//     of it more than one copy refers to is never changed, or has the method Clone.
func Each[E any](part Part, look func(s *System, w *sim.World, place int, seen *E, all *Tally), after ...Part) func(*System) Judge {
	make := func(s *System) *each[E] { return &each[E]{system: s, part: part, after: after, look: look} }
	parts := append([]Part{part}, after...)
	if _, ok := any(new(E)).(eachState); ok {
		return AfterStepsBy(func(s *System) *stateOfEach[E] { return &stateOfEach[E]{*make(s)} }, (*stateOfEach[E]).step, parts...)
	}
	return AfterStepsBy(make, (*each[E]).step, parts...)
}

type eachConcluder interface {
	Conclude(s *System, w *sim.World, place int, all *Tally)
}

type eachState interface {
	Digest(s *System, place int, d sim.Digest) sim.Digest
}

type each[E any] struct {
	system *System
	part   Part
	after  []Part
	look   func(s *System, w *sim.World, place int, seen *E, all *Tally)
	seen   []E
}

func (e *each[E]) Reset() {
	clear(e.seen)
	for len(e.seen) < e.system.parts(e.part) {
		e.seen = append(e.seen, *new(E))
	}
}

func (e *each[E]) step(w *sim.World, a sim.Action, all *Tally) {
	role := e.system.roles[a.Node]
	for i := range e.seen {
		if slices.Contains(e.after, role.Part) || role == (Role{e.part, i}) {
			e.look(e.system, w, i, &e.seen[i], all)
		}
	}
}

func (e *each[E]) Conclude(w *sim.World, all *Tally) {
	for i := range e.seen {
		if c, ok := any(&e.seen[i]).(eachConcluder); ok {
			c.Conclude(e.system, w, i, all)
		}
	}
}

// stateOfEach is the state of a monitor.
type stateOfEach[E any] struct{ each[E] }

func (e *stateOfEach[E]) Digest(d sim.Digest) sim.Digest {
	for i := range e.seen {
		d = any(&e.seen[i]).(eachState).Digest(e.system, i, d)
	}
	return d
}

// Copy has seen what the same judge of another system has.
func (e *stateOfEach[E]) Copy(seen *stateOfEach[E]) *stateOfEach[E] {
	c := &stateOfEach[E]{e.each}
	c.seen = slices.Clone(seen.seen)
	for i := range c.seen {
		if of, ok := any(&c.seen[i]).(interface{ Clone() E }); ok {
			c.seen[i] = of.Clone()
		}
	}
	return c
}

// Concluder is what a judge of steps has seen if that is judged as well when a finding is asked
// for: all is what steps have shown.
type Concluder interface {
	Conclude(w *sim.World, all *Tally)
}

type copier[T any] interface{ Copy(seen T) T }

type stepwise[T any] struct {
	of    T
	step  func(T, *sim.World, sim.Action, *Tally)
	parts uint64
	tally Tally
}

func (j *stepwise[T]) Reset() {
	j.tally = Tally{}
	if seen, ok := any(j.of).(Observer); ok {
		seen.Reset()
	}
}

func (j *stepwise[T]) Follows(p Part) bool {
	if f, ok := any(j.of).(Follower); ok {
		return f.Follows(p)
	}
	return j.parts == 0 || j.parts>>p&1 != 0
}

func (j *stepwise[T]) AfterStep(w *sim.World, a sim.Action) { j.step(j.of, w, a, &j.tally) }

func (j *stepwise[T]) Finding(w *sim.World) explore.Finding {
	all := j.tally
	if c, ok := any(j.of).(Concluder); ok {
		c.Conclude(w, &all)
	}
	return all.Finding()
}

func (j *stepwise[T]) MonitorState() MonitorState {
	if _, ok := any(j.of).(MonitorState); ok {
		return seen[T]{j}
	}
	return nil
}

// seen is the state of a monitor that is what its judge has seen.
type seen[T any] struct{ judge *stepwise[T] }

func (p seen[T]) Digest(d sim.Digest) sim.Digest { return any(p.judge.of).(MonitorState).Digest(d) }

// remembering is a judge of steps that a search carries along.
type remembering[T any] struct {
	stepwise[T]
	// shared: what was seen is remembered, and must not be changed any more.
	shared bool
}

type recollection[T any] struct {
	of    T
	tally Tally
}

func (j *remembering[T]) own() {
	if j.shared {
		j.copy(j.of)
	}
}

func (j *remembering[T]) copy(seen T) { j.of, j.shared = any(j.of).(copier[T]).Copy(seen), false }

func (j *remembering[T]) Reset() {
	j.own()
	j.stepwise.Reset()
}

func (j *remembering[T]) AfterStep(w *sim.World, a sim.Action) {
	j.own()
	j.stepwise.AfterStep(w, a)
}

func (j *remembering[T]) Memory() any {
	j.shared = true
	return recollection[T]{j.of, j.tally}
}

// Recall implements Remembering. Another worker of the search may remember, whose system is another one.
func (j *remembering[T]) Recall(of any) {
	m := of.(recollection[T])
	j.copy(m.of)
	j.tally = m.tally
}

// Concern is the part of a run that a story shows for a violation.
type Concern = explore.Concern

// Wrong is the explanation of a violation: a text with a format of package fmt, and the part of the run that a story
// shows for it.
func Wrong(about Concern, format string, args ...any) fmt.Stringer {
	if false {
		_ = fmt.Sprintf(format, args...) // go vet checks the arguments of a function that does this.
	}
	return &wrong{about, format, args}
}

// wrong is put into words when it is told: a campaign tells few of its violations.
type wrong struct {
	about  Concern
	format string
	args   []any
}

func (w *wrong) String() string   { return fmt.Sprintf(w.format, w.args...) }
func (w *wrong) Concern() Concern { return w.about }
