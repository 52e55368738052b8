package schedules

import (
	"math"
	"math/bits"
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

func (p *Path) Pick(w *sim.World, enabled []sim.Action) int {
	if p.at == len(p.steps) {
		return -1
	}
	p.at, p.asked = p.at+1, 0
	name := p.steps[p.at-1].name
	return slices.IndexFunc(enabled, func(a sim.Action) bool { return w.Name(a) == name })
}

func (p *Path) Choose(*sim.World, int, string) int {
	if p.at == 0 {
		return 0
	}
	p.asked++
	return p.steps[p.at-1].answers[p.asked-1]
}

// touched is what a step read and wrote, in a form in which many pairs of steps are compared
// fast.
type touched struct {
	// cells are in order, each once, written if the step wrote it.
	cells []cell
	// reads and writes have a bit for each cell, which several share.
	reads, writes uint64
	node          sim.NodeID
	// all: the step conflicts with every other one. vague: it does not say which part of its
	// node it touched, so it conflicts with all steps of the node.
	all, vague bool
}

// cell is a cell without its item, and in its lowest bit whether it was written.
type cell uint64

func pack(a *sim.Access) cell {
	c := cell(a.Cell.Kind)<<49 | cell(a.Cell.Node)<<33 | cell(uint32(a.Cell.Index))<<1
	if a.Write {
		c |= 1
	}
	return c
}

func (c cell) same(other cell) bool { return c|1 == other|1 }
func (c cell) written() bool        { return c&1 == 1 }

// bit is the bit of a cell in a set of 64.
func (c cell) bit() uint64 { return 1 << (uint64(c>>1) * 0x9e3779b97f4a7c15 >> 58) }

// newTouched is what a step of a node has touched. Connections with this number or a higher one
// are left out.
func newTouched(f *sim.Footprint, n sim.NodeID, connections int) *touched {
	t := &touched{node: n, all: f.All, vague: true}
	for i := range f.Accesses {
		a := &f.Accesses[i]
		if a.Cell.Node == n {
			t.vague = false
		}
		if !a.Cell.OfConnection(connections) {
			t.cells = append(t.cells, pack(a))
		}
	}
	slices.Sort(t.cells)
	once := t.cells[:0]
	for i, c := range t.cells {
		// A write comes behind the reads of its cell.
		if i+1 < len(t.cells) && t.cells[i+1].same(c) {
			continue
		}
		once = append(once, c)
		if c.written() {
			t.writes |= c.bit()
		} else {
			t.reads |= c.bit()
		}
	}
	t.cells = once
	return t
}

// conflicts reports whether the two steps in the other order may lead to something else.
func (t *touched) conflicts(u *touched) bool {
	if t.all || u.all || t.node == u.node && (t.vague || u.vague) {
		return true
	}
	if t.writes&(u.reads|u.writes) == 0 && t.reads&u.writes == 0 {
		return false
	}
	for i, j := 0, 0; i < len(t.cells) && j < len(u.cells); {
		a, b := t.cells[i], u.cells[j]
		switch {
		case a.same(b):
			if a.written() || b.written() {
				return true
			}
			i, j = i+1, j+1
		case a < b:
			i++
		default:
			j++
		}
	}
	return false
}

// set is a set of small numbers: of the steps of a schedule, by their place.
type set []uint64

func (s *set) add(i int) {
	for i>>6 >= len(*s) {
		*s = append(*s, 0)
	}
	(*s)[i>>6] |= 1 << (i & 63)
}

func (s set) has(i int) bool { return i>>6 < len(s) && s[i>>6]&(1<<(i&63)) != 0 }

func (s *set) addAll(other set) {
	for len(*s) < len(other) {
		*s = append(*s, 0)
	}
	for i, word := range other {
		(*s)[i] |= word
	}
}

func (s set) meets(other set) bool {
	for i := range min(len(s), len(other)) {
		if s[i]&other[i] != 0 {
			return true
		}
	}
	return false
}

// each calls f for each number, in order.
func (s set) each(f func(i int)) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			f(i<<6 | bits.TrailingZeros64(word))
		}
	}
}

// order finds what comes before the last event of a path in every schedule of the class. What it
// conflicts with and what no event between them keeps in this order is a race. race is called with
// its place, as long as the events before it are not noted; nil is not.
func order(path []*place, race func(first int)) {
	last := len(path) - 1
	e := &path[last].event
	e.before = e.before[:0]
	for i := last - 1; i >= 0; i-- {
		if e.before.has(i) {
			continue
		}
		first := &path[i].event
		same := first.action.Slot == e.action.Slot
		if !same && !first.touched.conflicts(e.touched) {
			continue
		}
		if !same && race != nil {
			race(i)
		}
		e.before.add(i)
		e.before.addAll(first.before)
	}
	var sum sim.Digest
	e.before.each(func(i int) { sum = sum.And(path[i].event.class) })
	e.class = e.class.Fold(sum)
}

// race has the reverse order of the last event and of an event in race with it tried.
func (s *search) race(first int) {
	last := len(s.path) - 1
	if e := &s.path[last].event; s.reversible(s.path[first], e) {
		s.reverse(first, last)
	}
}

// reversible reports whether a later event can have been possible in a place: not if it was the
// step from there that made it possible. Whether a fault can strike no step tells.
func (s *search) reversible(p *place, later *event) bool {
	return later.action.Kind == sim.Inject || later.action.Since != p.event.number || p.can(later.action.Slot)
}

// reverse has a step tried in the place of event i that leads to the later event e before it.
// It is the first of those between them that do not come behind i, or e itself.
func (s *search) reverse(i, last int) {
	s.between = s.between[:0]
	from, first := s.path[i], int32(-1)
	for j := i + 1; j <= last; j++ {
		x := &s.path[j].event
		if j < last && x.before.has(i) {
			continue
		}
		if !x.before.meets(s.between) {
			if slices.Contains(from.wanted, x.action.Slot) {
				return
			}
			if first < 0 {
				first = x.action.Slot
			}
		}
		s.between.add(j)
	}
	if from.can(first) {
		from.want(first)
		return
	}
	// Only a fault is possible behind steps with which it does not conflict.
	from.wantAll()
}

// place is one on the schedule that the search is at: the world before a step, and the step.
type place struct {
	world *sim.World
	// enabled is what can happen within the bounds. A thread is what has a slot of its own: a
	// lane, a loop, a timer, a fault.
	enabled []sim.Action
	// wanted are the threads whose step is to be taken here, tried those of which it has been.
	wanted, tried []int32
	// asleep are steps that need not be taken here: what follows on them was looked at with
	// the steps on the way to here taken behind them.
	asleep []sleeper
	// slept is how many of them slept already on the way to here.
	slept int
	event event
}

// sleeper is a step of a thread with its answers.
type sleeper struct {
	thread  int32
	answers []int
	// shared is what the step shares with others (event.shared).
	shared *touched
}

// event is a step that was taken.
type event struct {
	action  sim.Action
	name    string
	answers []int
	// touched is all that it read and wrote, shared the same without connections that it has
	// opened: their numbers are those of this schedule only.
	touched, shared *touched
	// number is the world's, of steps.
	number uint32
	// before are the steps of the schedule that come before this one in every schedule of the
	// class: a conflict with one of them, or with one behind it, keeps them in this order.
	before set
	// class is a digest of the event and of those before it.
	class sim.Digest
}

func (p *place) can(thread int32) bool {
	return slices.ContainsFunc(p.enabled, func(a sim.Action) bool { return a.Slot == thread })
}

func (p *place) want(thread int32) {
	if !slices.Contains(p.wanted, thread) {
		p.wanted = append(p.wanted, thread)
	}
}

func (p *place) wantAll() {
	for _, a := range p.enabled {
		p.want(a.Slot)
	}
}

// next is an action to try: a wanted action, or the first remaining one as long as none was
// taken.
func (p *place) next(taken bool) (sim.Action, bool) {
	for _, a := range p.enabled {
		if !slices.Contains(p.tried, a.Slot) && (!taken || slices.Contains(p.wanted, a.Slot)) {
			return a, true
		}
	}
	return sim.Action{}, false
}

// sleeps reports whether a step need not be taken. Without questions a thread has one step.
func (p *place) sleeps(thread int32, answers []int) bool {
	return slices.ContainsFunc(p.asleep, func(s sleeper) bool {
		return s.thread == thread && slices.Equal(s.answers, answers)
	})
}

// stillAsleep are the sleepers that an event does not wake.
func (p *place) stillAsleep(behind *touched) []sleeper {
	var list []sleeper
	for _, s := range p.asleep {
		if !s.shared.conflicts(behind) {
			list = append(list, s)
		}
	}
	return list
}
