package sim

import (
	"math"
	"math/bits"
	"slices"

	"github.com/watchbed/watchbed/internal/intern"
)

// steps are those that were taken, by what they have asked of their state: a decision tree. A step
// begins with the part of the node that acts, what the node does, and how its questions are
// answered. What it asks next depends on nothing but what it was told, so a step that is told the same
// does the same.
type steps struct {
	// numbers are those of the ways into the tree, branches what comes at the end of a way.
	numbers  intern.Pairs
	branches intern.List[branch]
}

// on is the way on from a way. Its branch is there before its number is known.
func (s *steps) on(way, told uint32) uint32 {
	s.branches.Reach(root + s.numbers.Last() + 1)
	return root + s.numbers.Number(way, told)
}

// branch is what a step does that has been told so much: it asks something more, or leads to a leaf. It
// is learned once.
type branch struct {
	asks intern.Word
	leaf intern.Once[leaf]
}

// ask is the question of a branch, asksNothing if it has none. there is the way on if it is about a slot
// that there is: few are not there.
func (b *branch) ask() (q question, there uint32) {
	x := b.asks.Get()
	return question(int32(uint32(x))), uint32(x >> 32)
}

func (b *branch) setAsk(q question, there uint32) {
	b.asks.Set(uint64(uint32(int32(q))) | uint64(there)<<32)
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

// question is what a step asks of its state: what is in the place before this number, or something else
// below 0.
type question int32

const (
	asksNothing question = 0
	// asksNumbers is which connections there are.
	asksNumbers question = -1
	// asksSlot is whether there is a slot already for a loop or a timer.
	asksSlot question = -2
)

// ofPlace asks what is in a place.
func ofPlace(place int) question { return question(place + 1) }

// place is that of a question about one.
func (q question) place() int { return int(q) - 1 }

// maxSlotNumber is the greatest number of a loop or a timer that a question has room for.
const maxSlotNumber = 1<<16 - 1

// slotQuestion asks for the slot of a loop or a timer.
func slotQuestion(n NodeID, k Kind, number int) question {
	return asksSlot - question(int(n)<<17|number<<1|int(k&1))
}

func (q question) slot() (n NodeID, timer bool, number int) {
	x := int(asksSlot - q)
	return NodeID(x >> 17), x&1 == int(Fire&1), x >> 1 & maxSlotNumber
}

// asked is what a step has asked, in order, each thing once.
type asked struct {
	questions []question
	choices   []choice
	// tooMuch: it may have asked anything.
	tooMuch bool
}

func (w *World) asks(place int) {
	if w.asked != nil {
		w.asked.add(ofPlace(place))
	}
}

func (a *asked) add(q question) {
	if !slices.Contains(a.questions, q) {
		a.questions = append(a.questions, q)
	}
}

// asksConn asks for a connection. Number 0 is none.
func (w *World) asksConn(i int) {
	if i > 0 {
		w.asks(placeOfNodes + len(w.nodes) - 1 + i)
	}
}

// asksOpen asks for what decides the number of a new connection, and whether it gets through.
func (w *World) asksOpen() {
	if w.asked == nil {
		return
	}
	w.asked.add(asksNumbers)
	if len(w.faults) > 0 {
		w.asks(placeRest)
	}
	if len(w.conns) > maxNumbers {
		w.asksTooMuch()
	}
}

// asksSlot asks whether there is a slot for a loop or a timer of the node that acts.
func (w *World) asksSlot(k Kind, number int) {
	switch {
	case w.asked == nil:
	case number > maxSlotNumber:
		w.asksTooMuch()
	default:
		w.asked.add(slotQuestion(w.env.node, k, number))
	}
}

// asksFault asks for what a fault needs to know. One that breaks a connection asks for connections, and
// others may ask for anything.
func (w *World) asksFault(f Fault) {
	switch f.(type) {
	case *BreakStream, *BreakCall:
		w.asks(placeRest)
	default:
		w.asksTooMuch()
	}
}

func (w *World) asksTooMuch() {
	if w.asked != nil {
		w.asked.tooMuch = true
	}
}

func (w *World) asksChooser(n int, what string, answer int) {
	if w.asked != nil {
		w.asked.choices = append(w.asked.choices, choice{n, answer, what})
	}
}

// maxNumbers is up to which number a connection has a bit in what asksNumbers is told.
const maxNumbers = 31

// numbersInUse has a bit for each connection that is not free.
func (p *Parts) numbersInUse(s State) (set uint32) {
	for i, part := range s[p.placeOfConn(1):] {
		if p.connParts.At(part).conn.state != connFree {
			set |= 1 << (i + 1)
		}
	}
	return set
}

// told is the answer to a question. A connection that there is not yet is 0.
func (p *Parts) told(s State, q question) uint32 {
	switch {
	case q.place() >= len(s):
		return 0
	case q > asksNothing:
		return s[q.place()]
	case q == asksNumbers:
		return p.numbersInUse(s)
	}
	return uint32(number(p.hasSlot(s, q)))
}

func (p *Parts) hasSlot(s State, q question) bool {
	n, timer, i := q.slot()
	layout := p.layouts.At(s[placeLayout])
	table := layout.loops[n]
	if timer {
		table = layout.timers[n]
	}
	return i < len(table) && table[i] != 0
}

// begin is the way on which a step begins, and what it is told first: what the node is to which it happens,
// what is on the connection, how its questions are answered, and of a timed run when. A fault happens to what
// belongs to no node.
func (p *Parts) begin(s State, a Action, answers uint64) (way uint32, told [4]uint32, n int) {
	index := uint32(p.layouts.At(s[placeLayout]).slots[a.Slot].index)
	told[0], n = s[placeOf(a)], 1
	if a.Kind == Deliver {
		told[n] = s[p.placeOfConn(int(index/2))]
		index, n = index&1, n+1
	}
	told[n], n = uint32(answers), n+1
	if p.timed {
		told[n], n = s[placeNow], n+1
	}
	return uint32(a.Kind)<<wayBits | index, told, n
}

// wayBits is for how many ways there is room below those on which steps begin.
const wayBits = 24

// placeOf is the place of what an action changes first: of a node, or of the faults.
func placeOf(a Action) int {
	if a.Kind == Inject {
		return placeRest
	}
	return placeOfNodes + int(a.Node)
}

// root is before the way of the first pair: a pair of a way and of what a step is told leads on to the way
// root+number.
const root = 1

// leaf is where a step leads, nil if it is not known.
func (p *Parts) leaf(s State, a Action, answers uint64) *leaf {
	at, told, n := p.begin(s, a, answers)
	for _, x := range told[:n] {
		if at = root + p.steps.numbers.Find(at, x); at == root {
			return nil
		}
	}
	for {
		b := p.steps.branches.At(at)
		if l := b.leaf.Get(); l != nil {
			return l
		}
		switch q, there := b.ask(); {
		case q == asksNothing:
			return nil
		case q <= asksSlot && p.hasSlot(s, q):
			at = there
		default:
			at = root + p.steps.numbers.Find(at, p.told(s, q))
		}
		if at <= root {
			return nil
		}
	}
}

// from is where the step leads from a state.
func (l *leaf) from(s, into State) State {
	next := append(into[:0], s...)
	for _, w := range l.writes {
		if w.place == len(next) {
			next = append(next, w.value)
		} else {
			next[w.place] = w.value
		}
	}
	return next
}

// changes is what a step has changed that led to this world: what it began with, or asked for, or the
// clock.
func (p *Parts) changes(s State, a Action, w *World, questions []question) (writes []write) {
	places := []int{placeOf(a), placeNow}
	if a.Kind == Deliver {
		places = append(places, p.placeOfConn(int(p.layouts.At(s[placeLayout]).slots[a.Slot].index/2)))
	}
	for _, q := range questions {
		if q > asksNothing && !slices.Contains(places, q.place()) {
			places = append(places, q.place())
		}
	}
	// New connections come one behind the other.
	slices.Sort(places)
	for _, place := range places {
		if value := p.value(w, place); value != p.told(s, ofPlace(place)) {
			writes = append(writes, write{place, value})
		}
	}
	return writes
}

// Enabled lists what can happen next in a state, as World.Enabled does. It is for a state in which no
// fault is planned (Faults).
func (p *Parts) Enabled(s State, list []Action) []Action {
	l := p.layouts.At(s[placeLayout])
	var few [8]uint64
	ready := readySet{bits: append(few[:0], make([]uint64, (len(l.slots)+63)/64)...), timed: p.timed, first: math.MaxInt64, now: *p.times.At(s[placeNow])}
	for n := 1; n < p.nodes; n++ {
		part := p.nodeParts.At(s[placeOfNodes+n])
		for i := range part.loops {
			x := &part.loops[i]
			ready.add(l.loops[n][x.number], x.due)
		}
		for i := range part.timers {
			x := &part.timers[i]
			ready.add(l.timers[n][x.number], x.due)
		}
	}
	for i, part := range s[p.placeOfConn(1):] {
		c := p.connParts.At(part)
		for j, is := range c.ready {
			if is {
				ready.add(l.lanes[2*(i+1)+j], c.due(j))
			}
		}
	}
	list = list[:0]
	for i, word := range ready.bits {
		for ; word != 0; word &= word - 1 {
			x := &l.slots[i<<6|bits.TrailingZeros64(word)]
			a := x.action
			if a.Kind == Deliver {
				a.Node = p.connParts.At(s[p.placeOfConn(int(x.index/2))]).receiver(int(x.index & 1))
			}
			list = append(list, a)
		}
	}
	return list
}

// readySet is what can happen next: when timed, what is due first.
type readySet struct {
	bits  []uint64
	timed bool
	// first is when that is due, and not before now.
	first, now Time
}

func (r *readySet) add(slot int32, due Time) {
	if r.timed {
		due = max(due, r.now)
		if due > r.first {
			return
		}
		if due < r.first {
			clear(r.bits)
			r.first = due
		}
	}
	r.bits[slot>>6] |= 1 << (slot & 63)
}

// Faults reports whether a fault is planned in a state. The world says whether it can strike.
func (p *Parts) Faults(s State) bool {
	return slices.ContainsFunc(p.rests.At(s[placeRest]).faults, func(f faultPart) bool { return f.ready })
}

// TimerOf is World.TimerOf.
func (p *Parts) TimerOf(s State, a Action) Timer {
	return Timer(p.layouts.At(s[placeLayout]).slots[a.Slot].index)
}

// restDigest is World.clockDigest of a state.
func (p *Parts) restDigest(s State) Digest {
	d := p.rests.At(s[placeRest]).digest
	if p.timed {
		d = d.Int(int64(*p.times.At(s[placeNow])))
	}
	return d
}

// Behaviour is World.Behaviour of a state.
func (l *Learner) Behaviour(s State) Digest {
	p := l.parts
	d := p.restDigest(s)
	first := p.placeOfConn(1)
	for _, n := range s[placeOfNodes+1 : first] {
		d = d.Fold(p.nodeParts.At(n).digest)
	}
	conns := s[p.placeOfConn(0):]
	places := append(l.places[:0], make([]Digest, len(conns))...)
	l.places = places
	for n := 1; n < p.nodes; n++ {
		held := p.objects.At(p.nodeParts.At(s[placeOfNodes+n]).object).conns
		addPlaces(places, NodeID(n), held, func(i int) *conn { return &p.connParts.At(conns[i]).conn })
	}
	var sum Digest
	for i, c := range s[first:] {
		if part := p.connParts.At(c); part.conn.state != connFree {
			sum = sum.And(linkDigest(part.digest.Fold(places[i+1]), part.conn.opener, part.conn.acceptor))
		}
	}
	return d.Fold(sum)
}
