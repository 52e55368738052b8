package schedules

import (
	"math"
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/sim"
)

// Walk takes single schedules of a subject within the bounds of a search, and counts the classes
// that they are of as the search counts them. A sample of schedules is so compared with all of
// them.
type Walk struct {
	subject prove.Subject
	firings int
	world   *sim.World
	path    []*place
	cells   sim.Footprint
	// offered are those of the enabled actions that the bounds leave.
	offered []sim.Action
	classes map[sim.Digest]struct{}
	last    Class
}

// NewWalk returns a walk that has taken no schedule yet. firings are those of Config.
func NewWalk(subject prove.Subject, firings int) *Walk {
	return &Walk{subject: subject, firings: firings, world: sim.NewWorld(subject.Options()), classes: map[sim.Digest]struct{}{}}
}

// Classes is of how many classes the schedules so far were.
func (w *Walk) Classes() int { return len(w.classes) }

// Last is the class of the last schedule that ended.
func (w *Walk) Last() Class { return w.last }

// Take takes one schedule more, which c picks, until nothing can happen within the bounds. Each question
// before the first pick has its first answer, as in a search. It reports false of a schedule
// that does not end: it is of no class.
func (w *Walk) Take(c sim.Chooser) (ended bool) {
	explore.Begin(w.subject, w.world, &beginning{})
	w.world.KeepNumbers()
	w.world.RecordCells(&w.cells)
	w.path = w.path[:0]
	for len(w.path) < maxSteps {
		if w.offer(); len(w.offered) == 0 {
			var class sim.Digest
			for _, p := range w.path {
				class = class.And(p.event.class)
			}
			w.classes[class], w.last = struct{}{}, Class(class)
			return true
		}
		w.step(w.offered[c.Pick(w.world, w.offered)], c)
	}
	return false
}

func (w *Walk) offer() {
	w.offered = w.offered[:0]
	for _, a := range w.world.Enabled() {
		if a.Kind != sim.Fire || !w.subject.Endless(a.Node) || fired(w.path, a.Slot) < w.firings {
			w.offered = append(w.offered, a)
		}
	}
}

// step takes a step, and notes its class. Memory of earlier schedules is used again.
func (w *Walk) step(a sim.Action, c sim.Chooser) {
	if n := len(w.path); n < cap(w.path) {
		w.path = w.path[:n+1]
	} else {
		w.path = append(w.path, nil)
	}
	p := &w.path[len(w.path)-1]
	if *p == nil {
		*p = &place{}
	}
	e := &(*p).event
	e.action, e.class = a, label(w.world, a)
	w.cells.Reset()
	given := noting{Chooser: c, class: e.class}
	w.world.Do(&given, a)
	e.class, e.touched = given.class, newTouched(&w.cells, a.Node, math.MaxInt)
	order(w.path, nil)
}

// noting adds the answers inside a step to its class.
type noting struct {
	sim.Chooser
	class sim.Digest
}

func (n *noting) Choose(w *sim.World, options int, what string) int {
	v := n.Chooser.Choose(w, options, what)
	n.class = n.class.Int(int64(v))
	return v
}

// Path is a schedule that was found. As a chooser it takes it once, and cuts the run off
// behind it. It knows steps by their names: a run numbers its connections in another way than
// the search.
type Path struct {
	steps []named
	at    int
	// asked is how many questions the present step has asked. Before the first step each has
	// its first answer.
	asked int
}

type named struct {
	name    string
	answers []int
}

func (p *Path) Len() int { return p.at }
func (p *Path) Begin()   { p.at, p.asked = 0, 0 }

// Pick implements sim.Chooser.
func (p *Path) Pick(w *sim.World, enabled []sim.Action) int {
	if p.at == len(p.steps) {
		return -1
	}
	p.at, p.asked = p.at+1, 0
	name := p.steps[p.at-1].name
	return slices.IndexFunc(enabled, func(a sim.Action) bool { return w.Name(a) == name })
}

// Choose implements sim.Chooser.
func (p *Path) Choose(*sim.World, int, string) int {
	if p.at == 0 {
		return 0
	}
	p.asked++
	return p.steps[p.at-1].answers[p.asked-1]
}
