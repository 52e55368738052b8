package testbed

import (
	"fmt"

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

func ofItself(s *System) *System { return s }

type recorded[T any] struct {
	of    T
	judge func(T, *sim.World, *Tally)
}

// Reset implements Judge.
func (*recorded[T]) Reset() {}

// Finding implements Judge.
func (r *recorded[T]) Finding(w *sim.World) explore.Finding {
	var all Tally
	r.judge(r.of, w, &all)
	return all.Finding()
}

// MonitorState implements Monitored.
func (r *recorded[T]) MonitorState() MonitorState {
	state, _ := any(r.of).(MonitorState)
	return state
}

// AfterSteps makes the judge of a property that steps of the nodes with these parts hold or
// violate, of all nodes if none is given.
func AfterSteps(step func(s *System, w *sim.World, a sim.Action, all *Tally), parts ...Part) func(*System) Judge {
	return AfterStepsBy(ofItself, step, parts...)
}

// AfterStepsBy is AfterSteps with what the judge has seen of a run. T may have the methods of
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
	step := func(e *eachInformer[E], w *sim.World, a sim.Action, all *Tally) {
		for _, n := range e.system.InformersAfter(a) {
			look(e.system, w, n, &e.seen[n.ID-e.system.informers[0].ID], all)
		}
	}
	return AfterStepsBy(func(s *System) *eachInformer[E] { return &eachInformer[E]{system: s} }, step, InformerNode, TheWorld)
}

type eachInformer[E any] struct {
	system *System
	seen   []E
}

// Reset implements Observer.
func (e *eachInformer[E]) Reset() {
	clear(e.seen)
	for len(e.seen) < len(e.system.informers) {
		e.seen = append(e.seen, *new(E))
	}
}

// EachCache makes the judge of a property that steps of caches hold or violate. It has seen of each as
// much as E says in a run so far.
func EachCache[E any](look func(s *System, w *sim.World, c *Cache, seen *E, all *Tally)) func(*System) Judge {
	step := func(e *eachCache[E], w *sim.World, a sim.Action, all *Tally) {
		if role := e.system.Role(a.Node); role.Part == CacheNode {
			look(e.system, w, e.system.caches[role.Place], &e.seen[role.Place], all)
		}
	}
	return AfterStepsBy(func(s *System) *eachCache[E] { return &eachCache[E]{s, make([]E, len(s.caches))} }, step, CacheNode)
}

type eachCache[E any] struct {
	system *System
	seen   []E
}

// Reset implements Observer.
func (e *eachCache[E]) Reset() { clear(e.seen) }

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

// Reset implements Judge.
func (j *stepwise[T]) Reset() {
	j.tally = Tally{}
	if seen, ok := any(j.of).(Observer); ok {
		seen.Reset()
	}
}

// Follows implements Follower.
func (j *stepwise[T]) Follows(p Part) bool {
	if f, ok := any(j.of).(Follower); ok {
		return f.Follows(p)
	}
	return j.parts == 0 || j.parts>>p&1 != 0
}

// AfterStep implements StepObserver.
func (j *stepwise[T]) AfterStep(w *sim.World, a sim.Action) { j.step(j.of, w, a, &j.tally) }

// Finding implements Judge.
func (j *stepwise[T]) Finding(w *sim.World) explore.Finding {
	all := j.tally
	if c, ok := any(j.of).(Concluder); ok {
		c.Conclude(w, &all)
	}
	return all.Finding()
}

// MonitorState implements Monitored.
func (j *stepwise[T]) MonitorState() MonitorState {
	if _, ok := any(j.of).(MonitorState); ok {
		return seen[T]{j}
	}
	return nil
}

// seen is the state of a monitor that is what its judge has seen.
type seen[T any] struct{ judge *stepwise[T] }

// Digest implements MonitorState.
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

// Reset implements Judge.
func (j *remembering[T]) Reset() {
	j.own()
	j.stepwise.Reset()
}

// AfterStep implements StepObserver.
func (j *remembering[T]) AfterStep(w *sim.World, a sim.Action) {
	j.own()
	j.stepwise.AfterStep(w, a)
}

// Memory implements Remembering.
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

// Wrong is the explanation of a violation: a text with a format of package fmt, and the part of the run that a story shows for it.
func Wrong(about explore.Concern, format string, args ...any) fmt.Stringer {
	if false {
		_ = fmt.Sprintf(format, args...) // go vet checks the arguments of a function that does this.
	}
	return &wrong{about, format, args}
}

// wrong is put into words when it is told: a campaign tells few of its violations.
type wrong struct {
	about  explore.Concern
	format string
	args   []any
}

func (w *wrong) String() string { return fmt.Sprintf(w.format, w.args...) }

// Concerns implements explore.Concerned.
func (w *wrong) Concerns() explore.Concern { return w.about }
