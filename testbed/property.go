package testbed

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/internal/registry"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// Kind is what a property promises.
type Kind uint8

// Safety says that nothing wrong happens, Liveness that something happens in time.
const (
	Safety Kind = iota
	Liveness
)

var kindNames = [...]string{"safety", "liveness"}

func (k Kind) String() string { return kindNames[k] }

// Property is something that must hold in every run. Scenarios claim properties
// by their values, so that a name which does not exist does not compile.
type Property struct {
	// Name is the one in reports and recordings.
	Name string
	Kind Kind
	// Promise is what it promises, in one sentence.
	Promise string
	// Violated says in a few words what is wrong if it is violated: "stale read".
	Violated string
	// Labels says the same for some of the labels that findings have (their cause
	// in a word), where that is known better.
	Labels map[string]string
	// Weight orders the stories of one campaign: what says more about the cause is
	// told first. 0 is last.
	Weight int
	// Inside: it looks into the simulated server of etcd, and so does not judge a cluster that is a program.
	Inside bool
	// AfterRestore: it judges runs in which etcd is restored from a backup, too. Others are vacuous there.
	AfterRestore bool
	// Monitor is how a search over states judges the property; the zero value is that it does not.
	Monitor Monitor
	// New makes the judge of a system, once; the judge serves run after run.
	New func(*System) Judge
}

// Words puts a violation with this label in a few words.
func (p *Property) Words(label string) string {
	if words := p.Labels[label]; words != "" {
		return words
	}
	return p.Violated
}

// Judge judges one property, run after run. It may look at the world after each
// step as well: see StepObserver.
type Judge interface {
	// Reset begins a run. The nodes are in the world and have not started.
	Reset()
	// Finding says what the run has shown so far. It may be called after any
	// step, and again later in the same run. The name of the property is filled in
	// by the system.
	Finding(w *sim.World) explore.Finding
}

// Tally counts how often a run put a property to the test, and keeps the first
// violation.
type Tally struct {
	Exercised int
	label     string
	why       fmt.Stringer
}

// Violate notes a violation with its cause in a word; only the first one counts.
func (t *Tally) Violate(label string, why fmt.Stringer) {
	if t.why == nil {
		t.label, t.why = label, why
	}
}

// Violatef notes a violation with its cause in a word, the part of the run that a story shows for it, and
// a text with a format of package fmt.
func (t *Tally) Violatef(label string, about Concern, format string, args ...any) {
	t.Violate(label, Wrong(about, format, args...))
}

// Violated reports whether there was a violation.
func (t *Tally) Violated() bool { return t.why != nil }

// Finding is what the tally comes to.
func (t *Tally) Finding() explore.Finding {
	f := explore.Finding{Exercised: t.Exercised, Label: t.label, Why: t.why}
	switch {
	case t.why != nil:
		f.Verdict = model.Violated
	case t.Exercised > 0:
		f.Verdict = model.Holds
	}
	return f
}

var properties = registry.New[*Property]("property")

// RegisterProperty makes a property known by its name. It panics if the name is
// taken; call it in package variable declarations.
func RegisterProperty(p *Property) *Property { return properties.Add(p.Name, p) }

// Properties lists all that are registered, in that order.
func Properties() []*Property { return properties.All() }

// FindProperty returns a property by its name. The error names the nearest.
func FindProperty(name string) (*Property, error) { return properties.Find(name) }

// IsLiveness reports whether the property of this name says that something comes in time.
func IsLiveness(name string) bool {
	p, err := FindProperty(name)
	return err == nil && p.Kind == Liveness
}

// Names are those of properties, in the same order.
func Names(list []*Property) []string {
	var names []string
	for _, p := range list {
		names = append(names, p.Name)
	}
	return names
}

// NoPanic is promised by every scenario, and claimed by none: package explore has a
// finding of it in a run that panics, in which nothing else is judged.
var NoPanic = RegisterProperty(&Property{
	Name: explore.NoPanic, Kind: Safety,
	Promise:  "Simulated code does not panic.",
	Violated: "panic",
	Weight:   20,
	New:      func(*System) Judge { return noPanic{} },
})

type noPanic struct{}

func (noPanic) Reset() {}

// Finding implements Judge. A run that is judged has not panicked.
func (noPanic) Finding(*sim.World) explore.Finding {
	return explore.Finding{Verdict: model.Holds, Exercised: 1}
}

// Monitor is how a search over states judges a property. It sees states without the steps before
// them: what a property still needs to know of these is the state of its monitor.
type Monitor struct {
	// Runs are those that a search can judge.
	Runs Runs
	// State mixes in the state of the monitor. It is a function of what clients have recorded so far, of
	// the store of etcd, and of what is remembered (Remembering). If it is nil, the judge has the state
	// (MonitorState), or there is none: each state, or each answer, holds or violates the property by itself.
	State func(s *System, d sim.Digest) sim.Digest
	// AtRest: the judge says something only of a state in which nothing more can happen
	// (System.IsOver). A search judges it if runs go on until then (Clock.ToRest).
	AtRest bool
	// Bound is how long what the property promises may take in a timed run; nil if it promises no time.
	Bound func(*System) Bound
	// Liveness is what has to come sooner or later; nil if the property is not about what never comes.
	Liveness func(*System) prove.Liveness
}

// Runs are runs without a clock, runs with one, or both.
type Runs uint8

// The runs that a search judges.
const (
	Untimed Runs = 1 << iota
	Timed
	EveryRun = Untimed | Timed
)

// CanJudge reports whether a search can judge the property in runs with this clock.
func (m *Monitor) CanJudge(c *Clock) bool {
	if c.Mode == sim.Timed {
		return m.Runs&Timed != 0
	}
	return m.Runs&Untimed != 0 && (!m.AtRest || c.ToRest)
}

// MonitorState is the state of a monitor. A search keeps it in the place of the history: it goes on
// once from two schedules that led to nodes in the same state and to the same states of monitors.
// Recorded and AfterSteps take it from what they judge by, if that has the method.
type MonitorState interface {
	// Digest mixes it in. One that is also of other nodes than clients and etcd is a Follower.
	Digest(d sim.Digest) sim.Digest
}

// Monitored is implemented by a judge with a monitor's state; nil if there is none.
type Monitored interface {
	MonitorState() MonitorState
}

// monitorState is that of the i-th claim, nil if it has none.
func (s *System) monitorState(i int) MonitorState {
	if of := s.claims[i].Monitor.State; of != nil {
		return stateOf{s, i}
	}
	if j, ok := s.judges[i].(Monitored); ok {
		return j.MonitorState()
	}
	return nil
}

// stateOf is the state of a claim that follows from the system.
type stateOf struct {
	system *System
	claim  int
}

func (p stateOf) Digest(d sim.Digest) sim.Digest {
	return p.system.claims[p.claim].Monitor.State(p.system, d)
}
