package testbed

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
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

// Says puts a violation with this label in a few words.
func (p *Property) Says(label string) string {
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
