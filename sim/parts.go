package sim

import (
	"encoding/binary"
	"slices"

	"github.com/watchbed/watchbed/internal/intern"
)

// State is a world of a search in numbers: each is that of one part of it (Parts). What the worlds
// of a search consist of comes again and again, so that a state takes some 100 bytes where a world
// takes 10,000, and equal parts have equal numbers. The places are those of what belongs to no node
// and no connection, of the numbers of loops, timers and lanes, of the counter that orders calls and
// returns, of the clock, of each node, and of each connection.
type State []uint32

const (
	placeRest = iota
	placeLayout
	placeTicks
	placeNow
	// placeOfNodes is that of node 0, which has none: it is the world itself.
	placeOfNodes = placeNow
)

// Parts are what the worlds of a search consist of, each part once, and the steps that were taken.
// Nothing is assumed: parts are equal if they are equal as a whole, value by value.
//
// All workers of a search share them, each with a Learner of its own. One of them at a time adds a part or
// a step. What is there never changes, so that the others read meanwhile: a node that has a number is not
// acted on any more, but cloned.
type Parts struct {
	// lock is held while something is added, and while a node is cloned, which changes what says in a
	// node that it shares its memory.
	lock Lock
	// alike reports whether two payloads are equal in everything that they consist of. It is asked by the
	// worker that has the lock.
	alike func(a, b any) bool
	// weigh is how much memory something takes that is kept from now on, weight what all of it takes.
	weigh  func(x any) int
	weight int
	// nodes is how many there are, with the world itself.
	nodes int
	timed bool

	// text is memory of the text of a part.
	text text

	objects    intern.List[object]
	ofObjects  map[Digest][]uint32
	payloads   []Payload
	ofPayloads map[Digest][]uint32
	nodeParts  kind[nodePart]
	connParts  kind[connPart]
	layouts    kind[layout]
	rests      kind[restPart]
	// times are readings of the clock.
	times   intern.List[Time]
	ofTimes map[Time]uint32
	steps   steps
}

// kind is the parts of one kind, each once, with numbers from 1 on.
type kind[T any] struct {
	parts   intern.List[T]
	numbers map[string]uint32
}

// At is the part with a number.
func (k *kind[T]) At(number uint32) *T { return k.parts.At(number) }

// number is that of the part with this text, which says what it consists of. make makes a new one.
func (k *kind[T]) number(p *Parts, x text, make func() T) uint32 {
	p.text = x
	number, known := k.numbers[string(x)]
	if !known {
		if k.numbers == nil {
			// Number 0 is no part.
			k.numbers = map[string]uint32{}
			k.parts.Reach(0)
		}
		part := make()
		number = k.parts.Add(part)
		k.numbers[string(x)] = number
		p.weight += p.weigh(part) + len(x) + textBytes
	}
	return number
}

// textBytes is about what a text takes besides what is in it.
const textBytes = 40

// text is what a part consists of, number by number.
type text []byte

func (x *text) with(n uint32) { *x = binary.LittleEndian.AppendUint32(*x, n) }

func (x *text) long(n int64) { *x = binary.LittleEndian.AppendUint64(*x, uint64(n)) }

func (x *text) truth(b bool) { x.with(uint32(number(b))) }

func number(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// object is what a node is, without its loops and timers.
type object struct {
	node      Node
	behaviour Digest
	conns     *[]Conn
}

// nodePart is a node with its loops and timers.
type nodePart struct {
	object uint32
	// loops are those that are enabled, in order.
	loops  []enabledLoop
	timers []armedTimer
	// digest is World.nodeDigest of it.
	digest Digest
}

// enabledLoop has its turn when it is due; 0 if the world is not timed.
type enabledLoop struct {
	number int32
	due    Time
}

type armedTimer struct {
	number int32
	due    Time
}

// connPart is a connection with what is under way on it. Of one that is free there is only its number.
type connPart struct {
	conn  conn
	lanes [2]lane
	// ready says of which lane a message can be delivered.
	ready [2]bool
	// digest is World.connDigest of it.
	digest Digest
}

// layout says which number a loop, a timer and a lane has in World.slots. It depends on the order in
// which they came up.
type layout struct {
	slots []slot
	// loops and timers are by node; lanes has two for each connection.
	loops, timers [][]int32
	lanes, faults []int32
}

// restPart is what belongs to no node and no connection.
type restPart struct {
	phase  Phase
	faults []faultPart
	// partitions are the faults whose partitions stand.
	partitions []int
	digest     Digest
}

type faultPart struct {
	left  int
	ready bool
	due   Time
}

// Lock is what one worker of a search at a time has. No run takes it: its type is known here, and where it comes
// from is with the search.
type Lock interface {
	Lock()
	Unlock()
}

// NewParts returns parts for the worlds that a world leads to, which has no names (OmitNames). alike reports
// whether two payloads are equal as a whole, and weigh how much memory something takes, without what it was
// asked for before; the worker that has the lock asks them. The error names the first node that cannot be
// cloned, or has no fingerprint.
func NewParts(w *World, alike func(a, b any) bool, weigh func(x any) int, lock Lock) (*Parts, error) {
	p := &Parts{
		lock: lock, alike: alike, weigh: weigh, nodes: len(w.nodes), timed: w.mode == Timed,
		ofObjects: map[Digest][]uint32{}, ofPayloads: map[Digest][]uint32{}, payloads: make([]Payload, 1), ofTimes: map[Time]uint32{},
	}
	// Number 0 is no object, and the clock at 0.
	p.objects.Reach(0)
	p.time(0)
	if _, err := w.Behaviour(); err != nil {
		return nil, err
	}
	return p, w.clonable()
}

// Size is how many nodes and steps are kept. A search begins anew with both when there are too many. It
// is for the worker that has the lock.
func (p *Parts) Size() (nodes, steps int) { return p.objects.Len(), int(p.steps.numbers.Last()) }

// Bytes is about how much memory all of it takes. It is for the worker that has the lock.
func (p *Parts) Bytes() int {
	n := p.weight + p.objects.Bytes() + 16*cap(p.payloads) + p.nodeParts.parts.Bytes() + p.connParts.parts.Bytes() + p.layouts.parts.Bytes() + p.rests.parts.Bytes() + p.times.Bytes()
	return n + p.steps.numbers.Bytes() + p.steps.branches.Bytes() + fingerprintBytes*(len(p.ofObjects)+len(p.ofPayloads))
}

// fingerprintBytes is about what an entry of ofObjects or ofPayloads takes.
const fingerprintBytes = 100

// Object is the number of what a node is in a state, without its loops and timers.
func (p *Parts) Object(s State, n NodeID) uint32 {
	return p.nodeParts.At(s[placeOfNodes+int(n)]).object
}

func (p *Parts) placeOfConn(i int) int { return placeOfNodes + p.nodes - 1 + i }

// conns is how many connections a state has, with number 0, which is none.
func (p *Parts) conns(s State) int { return len(s) - p.placeOfConn(0) }

// apart takes a world apart whose nodes have their numbers.
func (p *Parts) apart(w *World, into State) State {
	s := append(into[:0], p.rest(w), p.layout(w), uint32(w.ticks), p.time(w.now))
	for n := 1; n < len(w.nodes); n++ {
		s = append(s, p.node(w, NodeID(n)))
	}
	for i := 1; i < len(w.conns); i++ {
		s = append(s, p.conn(w, i))
	}
	return s
}

// value is what a world has in a place of its state.
func (p *Parts) value(w *World, place int) uint32 {
	switch {
	case place == placeRest:
		return p.rest(w)
	case place == placeLayout:
		return p.layout(w)
	case place == placeTicks:
		return uint32(w.ticks)
	case place == placeNow:
		return p.time(w.now)
	case place <= p.placeOfConn(0):
		return p.node(w, NodeID(place-placeOfNodes))
	}
	return p.conn(w, place-p.placeOfConn(0))
}

func (p *Parts) time(t Time) uint32 {
	known, ok := p.ofTimes[t]
	if !ok {
		known = p.times.Add(t)
		p.ofTimes[t] = known
	}
	return known
}

// Now is the clock of a state as a number: the same for the same reading.
func (p *Parts) Now(s State) uint32 { return s[placeNow] }

// Phase is the part of the run.
func (p *Parts) Phase(s State) Phase { return p.rests.At(s[placeRest]).phase }

func (p *Parts) rest(w *World) uint32 {
	x := p.text[:0]
	x.with(uint32(w.phase))
	r := restPart{phase: w.phase}
	for i := range w.faults {
		f := faultPart{left: w.faults[i].left, ready: w.isReady(w.faults[i].slot)}
		x.long(int64(f.left))
		x.truth(f.ready)
		if p.timed && f.ready {
			f.due = w.slots[w.faults[i].slot].due
			x.long(int64(f.due))
		}
		r.faults = append(r.faults, f)
	}
	for _, partition := range w.partitions {
		// Each of them is that of a fault.
		i := slices.IndexFunc(w.faults, func(f plannedFault) bool { return partitionOf(f.fault) == partition })
		r.partitions = append(r.partitions, i)
		x.with(uint32(i))
	}
	return p.rests.number(p, x, func() restPart {
		r.digest = w.restDigest()
		return r
	})
}

func (p *Parts) layout(w *World) uint32 {
	x := p.text[:0]
	for i := range w.slots {
		slot := &w.slots[i]
		x.with(uint32(slot.action.Kind))
		x.with(uint32(slot.index))
		if slot.action.Kind != Deliver {
			x.with(uint32(slot.action.Node))
		}
	}
	return p.layouts.number(p, x, func() layout { return newLayout(w) })
}

func newLayout(w *World) layout {
	l := layout{slots: slices.Clone(w.slots)}
	for i := range l.slots {
		x := &l.slots[i]
		x.due, x.cause, x.action.Since = 0, 0, 0
		if x.action.Kind == Deliver {
			x.action.Node = 0
		}
	}
	for i := range w.nodes {
		l.loops, l.timers = append(l.loops, slices.Clone(w.nodes[i].tasks)), append(l.timers, slices.Clone(w.nodes[i].timers))
	}
	for i := range w.lanes {
		l.lanes = append(l.lanes, w.lanes[i].slot)
	}
	for i := range w.faults {
		l.faults = append(l.faults, w.faults[i].slot)
	}
	return l
}

func (p *Parts) node(w *World, n NodeID) uint32 {
	rec := &w.nodes[n]
	part := nodePart{object: rec.numbered}
	x := p.text[:0]
	x.with(uint32(n))
	x.with(part.object)
	for i, slot := range rec.tasks {
		if w.isReady(slot) {
			loop := enabledLoop{int32(i), w.slots[slot].due}
			part.loops = append(part.loops, loop)
			x.with(uint32(i))
			if p.timed {
				x.long(int64(loop.due))
			}
		}
	}
	x.with(^uint32(0))
	for i, slot := range rec.timers {
		if w.isReady(slot) {
			timer := armedTimer{int32(i), w.slots[slot].due}
			part.timers = append(part.timers, timer)
			x.with(uint32(i))
			x.long(int64(timer.due))
		}
	}
	return p.nodeParts.number(p, x, func() nodePart {
		part.digest, _ = w.nodeDigest(int(n), behaviourOf)
		return part
	})
}

func behaviourOf(n *nodeRecord, _ Fingerprinter) Digest { return n.behaviour }

// into makes a node of a world this one.
func (o *object) into(rec *nodeRecord, number uint32) {
	rec.node, rec.behaviour, rec.conns, rec.shared, rec.numbered = o.node, o.behaviour, o.conns, true, number
}

func (p *Parts) conn(w *World, i int) uint32 {
	k := w.conns[i]
	part := connPart{conn: k}
	x := p.text[:0]
	x.with(uint32(k.id))
	x.with(uint32(k.state))
	if k.state != connFree {
		x.with(uint32(k.opener)<<16 | uint32(k.acceptor))
		x.with(uint32(k.kind))
		for j := range part.lanes {
			l := &w.lanes[2*i+j]
			part.lanes[j], part.ready[j] = p.lane(&x, l), w.isReady(l.slot)
			x.truth(part.ready[j])
		}
	} else {
		part.conn = conn{id: k.id}
	}
	return p.connParts.number(p, x, func() connPart {
		if k.state != connFree {
			part.digest = w.connDigest(i)
		}
		return part
	})
}

// lane goes on with what a lane is, and returns it.
func (p *Parts) lane(x *text, l *lane) lane {
	x.with(uint32(l.room))
	x.truth(l.held)
	x.truth(l.cut)
	x.truth(l.deaf)
	x.with(uint32(l.len()))
	part := *l
	part.queue, part.head = slices.Clone(l.queue[l.head:]), 0
	for i := range part.queue {
		m := &part.queue[i]
		payload := p.payload(m.Payload)
		m.Payload = p.payloads[payload]
		x.with(payload)
		x.with(uint32(m.Conn))
		x.with(uint32(m.From)<<16 | uint32(m.To))
		if p.timed {
			x.long(int64(m.due))
		}
	}
	return part
}

// payload is the number of a payload that is equal to this one.
func (p *Parts) payload(x Payload) uint32 {
	d := x.Digest(NewDigest)
	for _, i := range p.ofPayloads[d] {
		if p.alike(p.payloads[i], x) {
			return i
		}
	}
	n := uint32(len(p.payloads))
	p.payloads, p.ofPayloads[d] = append(p.payloads, x), append(p.ofPayloads[d], n)
	p.weight += p.weigh(x)
	return n
}

// World puts a state together again, into a world that was forked from one like that from which the
// parts were made: it keeps its faults. The step at which something became possible, and what was
// counted, are not kept.
func (p *Parts) World(s State, w *World) *World {
	r, l := p.rests.At(s[placeRest]), p.layouts.At(s[placeLayout])
	w.phase, w.ticks, w.now, w.firstFree, w.crashing, w.asked = r.phase, int64(s[placeTicks]), *p.times.At(s[placeNow]), 1, nil, nil
	w.slots, w.follows, w.enabled, w.cloning = append(w.slots[:0], l.slots...), false, w.enabled[:0], p.lock
	w.ready = append(w.ready[:0], make([]uint64, (len(l.slots)+63)/64)...)
	w.partitions = w.partitions[:0]
	for _, i := range r.partitions {
		w.partitions = append(w.partitions, partitionOf(w.faults[i].fault))
	}
	for i, f := range r.faults {
		w.faults[i].left, w.faults[i].slot = f.left, l.faults[i]
		if f.ready {
			w.setReady(l.faults[i], f.due)
		}
	}
	for n := 1; n < p.nodes; n++ {
		rec, part := &w.nodes[n], p.nodeParts.At(s[placeOfNodes+n])
		p.objects.At(part.object).into(rec, part.object)
		rec.tasks, rec.timers, rec.sharedTables = l.loops[n], l.timers[n], true
		for _, x := range part.loops {
			w.setReady(l.loops[n][x.number], x.due)
		}
		for _, x := range part.timers {
			w.setReady(l.timers[n][x.number], x.due)
		}
	}
	w.conns = append(w.conns[:0], conn{})
	for i := 1; i < p.conns(s); i++ {
		part := p.connParts.At(s[p.placeOfConn(i)])
		w.conns = append(w.conns, part.conn)
		for j := range part.lanes {
			w.lanes = p.putLane(w.lanes, part, l.lanes[2*i+j], 2*i+j)
			if part.ready[j] {
				w.setReady(l.lanes[2*i+j], part.due(j))
			}
			w.slots[l.lanes[2*i+j]].action.Node = part.receiver(j)
		}
	}
	w.lanes = w.lanes[:2*p.conns(s)]
	return w
}

// putLane makes number n of these lanes that of a part.
func (p *Parts) putLane(lanes []lane, part *connPart, slot int32, n int) []lane {
	lanes = lanes[:cap(lanes)]
	if n >= len(lanes) {
		lanes = append(lanes, make([]lane, n+1-len(lanes))...)
	}
	queue := lanes[n].queue[:0]
	lanes[n] = part.lanes[n%2]
	lanes[n].queue, lanes[n].slot = append(queue, part.lanes[n%2].queue...), slot
	return lanes
}

// receiver is the node that a lane leads to: the first leads to the acceptor.
func (c *connPart) receiver(lane int) NodeID {
	if lane == 0 {
		return c.conn.acceptor
	}
	return c.conn.opener
}

// due is when the first message of a lane arrives.
func (c *connPart) due(lane int) Time { return c.lanes[lane].queue[0].due }

func (w *World) setReady(slot int32, due Time) {
	w.slots[slot].due = due
	w.ready[slot>>6] |= 1 << (slot & 63)
}
