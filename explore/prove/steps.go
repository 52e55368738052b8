package prove

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/watchbed/watchbed/sim"
)

// The steps that were taken are kept by what they have asked of their state, in a decision tree. A step
// begins with the part of the node that acts, what the node does, and how its questions are
// answered. Its next question depends on nothing but the answers so far, so a step with the same answers
// does the same. Its questions are the cells of the world that it touched (sim.Footprint).

// branch is what a step does that has been told so much: it asks something more, or leads to a leaf. It
// is learned once.
type branch struct {
	asks atomic.Int32
	leaf atomic.Pointer[leaf]
}

// leaf is what a step changes, and what it asks its chooser.
type leaf struct {
	writes  []write
	choices []choice
}

type write struct {
	place int
	value uint32
}

type choice struct {
	n, answer int
	what      string
}

// question is what a step asks of its state: what is in the place before this number, or asksNumbers. 0 is nothing.
type question = int32

// asksNumbers is which connections there are.
const asksNumbers question = -1

// ofPlace asks what is in a place.
func ofPlace(place int) question { return question(place + 1) }

// listener takes down what a step asks its chooser.
type listener struct {
	sim.Chooser
	choices []choice
}

func (l *listener) Choose(w *sim.World, n int, what string) int {
	answer := l.Chooser.Choose(w, n, what)
	l.choices = append(l.choices, choice{n, answer, what})
	return answer
}

// Take takes a step out of a state, into the memory of another one: an action that Enabled lists.
// answers is a number for what c will answer, different for different answers. known is whether one that was
// told the same was learned before; if not, it is carried out and learned.
func (p *Stepper) Take(from State, a sim.Action, c sim.Chooser, answers uint64, into State) (next State, known bool) {
	if x := p.store.leaf(from, a, answers); x != nil {
		for _, asked := range x.choices {
			if c.Choose(p.at, asked.n, asked.what) != asked.answer {
				panic("states: the answers to a step are not those that belong to their number")
			}
		}
		return x.from(from, into), true
	}
	w, heard := p.World(from, p.at), &listener{Chooser: c}
	p.cells.Reset()
	w.RecordCells(&p.cells)
	w.Do(heard, a)
	places, questions := p.asked(from, a)
	if questions == nil {
		return p.Apart(w, from, into), false
	}
	x := &leaf{p.changes(w, from, places), heard.choices}
	p.store.lock.Lock()
	defer p.store.lock.Unlock()
	return p.learn(from, a, answers, questions, x).from(from, into), false
}

// maxNumbers is up to which number a connection has a bit in what asksNumbers is told.
const maxNumbers = 31

// asked are the places on which the step depends that was carried out, and what it has asked besides what it is told
// first, in order; nil if it may depend on anything.
func (p *Stepper) asked(from State, a sim.Action) (places []int, questions []question) {
	if p.cells.All {
		return nil, nil
	}
	s := p.store
	places, questions = append(places, placeOf(a), placeNow), []question{}
	if a.Kind == sim.Deliver {
		places = append(places, s.placeOfConn(int(a.Number/2)))
	}
	ask := func(place int) {
		if !slices.Contains(places, place) {
			places, questions = append(places, place), append(questions, ofPlace(place))
		}
	}
	for i := range p.cells.Accesses {
		c := &p.cells.Accesses[i].Cell
		switch index := int(c.Index); {
		case c.Node != 0:
		case c.Kind == sim.CellConn && index > 0:
			ask(s.placeOfConn(index))
		case c.Kind == sim.CellLane:
			ask(s.placeOfConn(index / 2))
		case c.Kind == sim.CellNode:
			ask(placeOfNodes + index)
		case c.Kind == sim.CellTicks:
			ask(placeTicks)
		case c.Kind == sim.CellPhase:
			ask(placeRest)
		case c.Kind == sim.CellNumbers:
			if len(s.conns(from)) >= maxNumbers {
				return nil, nil
			}
			if !slices.Contains(questions, asksNumbers) {
				questions = append(questions, asksNumbers)
			}
			if s.faults {
				// A partition may be between the ends.
				ask(placeRest)
			}
			ask(s.placeOfConn(index))
		case c.Kind == sim.CellUnderWay:
			return nil, nil
		}
	}
	return places, questions
}

// changes is what a step has changed of these places.
func (p *Stepper) changes(w *sim.World, from State, places []int) (writes []write) {
	// New connections come one behind the other.
	slices.Sort(places)
	for _, place := range places {
		if value := p.value(w, from, place); value != p.store.told(from, ofPlace(place)) {
			writes = append(writes, write{place, value})
		}
	}
	return writes
}

// from is where the step leads from a state.
func (l *leaf) from(x, into State) State {
	next := append(into[:0], x...)
	for _, w := range l.writes {
		if w.place == len(next) {
			next = append(next, w.value)
		} else {
			next[w.place] = w.value
		}
	}
	return next
}

// placeOf is the place of what an action changes first: of a node, or of the faults.
func placeOf(a sim.Action) int {
	if a.Kind == sim.Inject {
		return placeRest
	}
	return placeOfNodes + int(a.Node)
}

// told is the answer to a question. A connection that there is not yet is 0.
func (s *Store) told(x State, q question) (answer uint32) {
	if q == asksNumbers {
		for i, number := range s.conns(x) {
			if !s.inConns.At(number).IsFree() {
				answer |= 1 << (i + 1)
			}
		}
		return answer
	}
	if place := int(q) - 1; place < len(x) {
		return x[place]
	}
	return 0
}

// begin is the way on which a step begins, and what it is told first: what the node is to which it happens,
// what is on the connection, how its questions are answered, and of a timed run when. A fault happens to what
// belongs to no node.
func (s *Store) begin(x State, a sim.Action, answers uint64) (way uint32, told [4]uint32, n int) {
	index := uint32(a.Number)
	told[0], n = x[placeOf(a)], 1
	if a.Kind == sim.Deliver {
		told[n] = x[s.placeOfConn(int(index/2))]
		index, n = index&1, n+1
	}
	told[n], n = uint32(answers), n+1
	if s.timed {
		told[n], n = x[placeNow], n+1
	}
	return 1<<31 | uint32(a.Kind)<<wayBits | index, told, n
}

// wayBits is for how many ways there is room below those on which steps begin.
const wayBits = 24

// leaf is where a step leads, nil if it is not known.
func (s *Store) leaf(x State, a sim.Action, answers uint64) *leaf {
	at, told, n := s.begin(x, a, answers)
	for _, answer := range told[:n] {
		if at = s.steps.Find(at, answer); at == 0 {
			return nil
		}
	}
	for at != 0 {
		b := s.steps.At(at)
		if l := b.leaf.Load(); l != nil {
			return l
		}
		q := b.asks.Load()
		if q == 0 {
			return nil
		}
		at = s.steps.Find(at, s.told(x, q))
	}
	return nil
}

// learn keeps a step that was carried out, unless another worker has kept the same one meanwhile.
func (p *Stepper) learn(x State, a sim.Action, answers uint64, questions []question, l *leaf) *leaf {
	s := p.store
	at, told, n := s.begin(x, a, answers)
	for _, answer := range told[:n] {
		at = s.steps.Number(at, answer)
	}
	for _, q := range questions {
		b := s.steps.At(at)
		if known := b.asks.Load(); b.leaf.Load() != nil || known != 0 && known != q {
			panic(p.doesOtherwise(a))
		}
		b.asks.Store(q)
		at = s.steps.Number(at, s.told(x, q))
	}
	b := s.steps.At(at)
	switch known := b.leaf.Load(); {
	case b.asks.Load() != 0:
		panic(p.doesOtherwise(a))
	case known != nil:
		return known
	}
	b.leaf.Store(l)
	s.weight += s.weigh(l)
	return l
}

func (p *Stepper) doesOtherwise(a sim.Action) string {
	return fmt.Sprintf("states: a step of %s does otherwise than before although it was told the same", p.at.NodeName(a.Node))
}
