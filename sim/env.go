package sim

import "github.com/watchbed/watchbed/metric"

// Env is what a node may do during one step.
type Env struct {
	w     *World
	node  NodeID
	cause Cause
}

// Self is the node that acts.
func (e *Env) Self() NodeID { return e.node }

// Begin starts an operation or activity: what is sent from here on has it as
// its cause. The node counts its own activities, so that the name does not
// depend on other nodes.
func (e *Env) Begin(activity string, seq int) Cause {
	e.cause = e.w.newCause(causeRecord{node: e.node, activity: activity, seq: seq})
	return e.cause
}

// Under continues an earlier cause, for a loop that takes up queued work.
func (e *Env) Under(c Cause) {
	e.cause = c
}

// Cause is why the present step happens.
func (e *Env) Cause() Cause { return e.cause }

// Call sends a unary request. The answer arrives on the same Conn, which ends
// with it.
func (e *Env) Call(to NodeID, p Payload) Conn {
	c := e.w.open(e.node, to, callConn)
	e.Send(c, p)
	return c
}

// Open opens a stream; the acceptor learns of it with the first message.
func (e *Env) Open(to NodeID) Conn { return e.w.open(e.node, to, streamConn) }

// Bound limits the lane on which this node sends to room messages, as a Go
// channel's or a flow control window's capacity does. The node asks CanSend
// before it sends, and implements Drained to be woken.
func (e *Env) Bound(c Conn, room int) {
	e.w.looksAt(CellConn, c.index())
	if k := e.w.find(c); k != nil {
		l := e.w.laneFrom(k, e.node)
		e.w.touchLane(l, true)
		l.room = room
	}
}

// CanSend reports whether the lane has room. A connection that is gone always
// has: what is sent there is dropped.
func (e *Env) CanSend(c Conn) bool {
	e.w.touchConn(c, false)
	can := true
	if k := e.w.find(c); k != nil {
		l := e.w.laneFrom(k, e.node)
		e.w.touchLane(l, false)
		can = l.room == 0 || l.len() < l.room
	}
	return can
}

// Send puts a payload on the connection; nothing happens if it is gone.
func (e *Env) Send(c Conn, p Payload) {
	w := e.w
	w.touchConn(c, false)
	k := w.find(c)
	if k == nil {
		return
	}
	w.stats.Messages++
	m := Message{Payload: p, Conn: c, From: e.node, To: k.Acceptor, Cause: e.cause, Ordinal: w.ordinal(e.cause)}
	if e.node == k.Acceptor {
		m.To = k.Opener
	}
	if !w.untraced {
		w.trace = p.Digest(w.trace.Word(uint64(c)<<16 | uint64(e.node)))
	}
	l := w.laneFrom(k, e.node)
	if l.deaf || k.state != connOpen {
		if k.kind == callConn && k.state == connOpen {
			w.free(k)
		}
		return
	}
	if w.observed() {
		w.tell(Event{Kind: Sent, Node: e.node, Message: m})
	}
	w.push(l, m)
}

// Sending is when the peer has all of what this node has sent last, if that takes time for its objects (World.Pace).
func (e *Env) Sending(c Conn) (until Time, paced bool) {
	k := e.w.find(c)
	if k == nil || e.w.mode != Timed || e.w.nodes[e.node].pace == 0 {
		return 0, false
	}
	l := e.w.laneFrom(k, e.node)
	e.w.touchLane(l, false)
	if l.len() == 0 {
		return 0, false
	}
	m := &l.queue[len(l.queue)-1]
	b, bulky := m.Payload.(Bulky)
	return m.due, bulky && b.Objects() > 0
}

// Close ends a stream, or gives up a call: messages that still come are dropped.
func (e *Env) Close(c Conn) { e.end(c, hangupClosed) }

// Abort ends a stream as Close does, but by tearing the TCP connection down: the peer
// hears of a broken connection behind what it was sent before.
func (e *Env) Abort(c Conn) { e.end(c, hangupBroken) }

func (e *Env) end(c Conn, h *Hangup) {
	e.w.touchConn(c, true)
	if k := e.w.find(c); k != nil {
		e.w.closeConn(k, e.node, h)
	}
}

// UnderWay is World.UnderWay for what this node has sent: what its process still keeps
// in memory for its peers.
func (e *Env) UnderWay(f func(first *Message, count int)) { e.UnderWayFrom(e.node, f) }

// UnderWayFrom is the same for another node of the same process.
func (e *Env) UnderWayFrom(n NodeID, f func(first *Message, count int)) {
	e.w.looksAt(CellUnderWay, int(n))
	e.w.UnderWay(n, f)
}

// IsOpen reports whether the connection still is one at this end, which has neither ended it nor taken a Hangup.
func (e *Env) IsOpen(c Conn) bool {
	e.w.touchConn(c, false)
	k := e.w.find(c)
	if k == nil {
		return false
	}
	l := e.w.laneTo(k, e.node)
	e.w.touchLane(l, false)
	return !l.deaf
}

// Hold stops the deliveries from a connection to this node, as a receive loop
// that blocks does; Release resumes them.
func (e *Env) Hold(c Conn) { e.setHeld(c, true) }

// Release resumes the deliveries that Hold stopped.
func (e *Env) Release(c Conn) { e.setHeld(c, false) }

func (e *Env) setHeld(c Conn, held bool) {
	e.w.looksAt(CellConn, c.index())
	k := e.w.find(c)
	if k == nil {
		return
	}
	l := e.w.laneTo(k, e.node)
	e.w.touchLane(l, true)
	if l.held == held {
		return
	}
	l.held = held
	switch {
	case held:
		e.w.clearReady(l.slot)
	case l.len() > 0 && !l.cut:
		e.w.makeReady(l.slot, l.peek().due)
	}
}

// Enable lets a loop of this node run when its turn comes. A loop that is
// enabled already keeps its place.
func (e *Env) Enable(t Task) {
	w := e.w
	id := e.slotOf(&w.nodes[e.node].tasks, Run, int(t), true)
	if w.isReady(id) {
		return
	}
	due := w.now
	if w.mode == Timed {
		due += Time(w.delay(w.bounds[w.phase].Scheduling, "scheduling delay"))
	}
	w.makeReady(id, due)
}

// Disable takes a loop off the list.
func (e *Env) Disable(t Task) {
	e.w.clearReady(e.slotOf(&e.w.nodes[e.node].tasks, Run, int(t), true))
}

// Arm sets a timer of this node to go off after d. An earlier setting is
// replaced.
func (e *Env) Arm(t Timer, d Duration) {
	w := e.w
	id := e.slotOf(&w.nodes[e.node].timers, Fire, int(t), true)
	w.slots[id].cause = e.cause
	w.makeReady(id, w.now+Time(d))
}

// Disarm stops a timer.
func (e *Env) Disarm(t Timer) {
	e.w.clearReady(e.slotOf(&e.w.nodes[e.node].timers, Fire, int(t), true))
}

// Armed reports whether a timer is set.
func (e *Env) Armed(t Timer) bool {
	return e.w.isReady(e.slotOf(&e.w.nodes[e.node].timers, Fire, int(t), false))
}

// slotOf is the entry of a loop or timer in the world's table, of which the step changes or reads whether it is ready.
func (e *Env) slotOf(table *[]int32, k Kind, n int, write bool) int32 {
	for len(*table) <= n {
		*table = append(*table, 0)
	}
	id := (*table)[n]
	if id == 0 {
		id = e.w.newSlot(k, e.node, int32(n))
		(*table)[n] = id
	}
	e.w.touchReady(id, write)
	return id
}

// Choose settles what the original leaves open inside a step. With one option
// there is nothing to choose.
func (e *Env) Choose(n int, what string) int {
	if n <= 1 {
		return 0
	}
	return e.w.choose(n, what)
}

// Now is the virtual clock. It stands still when untimed: compare with Elapsed.
func (e *Env) Now() Time { return e.w.now }

// Elapsed reports whether at least d has passed since an earlier reading. When
// untimed there is no saying, so it is a choice.
func (e *Env) Elapsed(since Time, d Duration) bool {
	if e.w.mode == Timed {
		return e.w.now.Sub(since) >= d
	}
	return e.Choose(2, "elapsed") == 1
}

// Phase is the part of the run.
func (e *Env) Phase() Phase {
	e.w.looksAt(CellPhase, 0)
	return e.w.phase
}

// Mode is untimed or timed: a node need not settle a phase or a jitter that
// makes no difference while there is no clock.
func (e *Env) Mode() Mode { return e.w.mode }

// NodeName is the name under which a node was added, for the names of tasks
// that a node runs on behalf of others.
func (e *Env) NodeName(n NodeID) string { return e.w.nodes[n].name }

// Tick returns a reading of the strictly increasing counter that orders calls
// and returns in a history.
func (e *Env) Tick() int64 {
	e.w.ticks++
	if e.w.footprint != nil {
		e.w.touch(Cell{Kind: CellTicks, Item: e.w.ticks}, true)
	}
	return e.w.ticks
}

// Cover counts a coverage point.
func (e *Env) Cover(s CoveragePoint) {
	e.w.counts[s]++
}

// Record adds a value to a metric's distribution, in timed runs. Negative values
// count as 0.
func (e *Env) Record(m metric.Metric, value int64) { e.w.Record(m, value) }

// Add adds to a counter, in timed runs.
func (e *Env) Add(m metric.Metric, n int64) {
	if e.w.recordsMetrics() {
		e.w.metrics[m].Add(n)
	}
}

type connKind uint8

const (
	streamConn connKind = iota
	callConn
)

type connState uint8

const (
	connFree connState = iota
	connOpen
	// connEnding: a Hangup is under way in at least one lane.
	connEnding
)

// Link is a connection as the world has it, a pair of lanes: number 2i leads from the opener to the acceptor,
// 2i+1 back.
type Link struct {
	ID               Conn
	Opener, Acceptor NodeID
	kind             connKind
	state            connState
}

// IsFree reports whether the connection has ended, so that its number is free.
func (k *Link) IsFree() bool { return k.state == connFree }

// lane is one direction of a connection: a queue that keeps its order.
type lane struct {
	queue []Message
	head  int
	slot  int32
	// room is the number of messages the lane holds before the sender must
	// wait; 0 is no bound.
	room int
	// held: the receiver does not take from the lane for now.
	held bool
	// cut: a partition is between the ends.
	cut bool
	// deaf: the far end does not receive any more; messages are dropped.
	deaf bool
}

// stopped: nothing is delivered for now.
func (l *lane) stopped() bool { return l.held || l.cut }

func (l *lane) len() int       { return len(l.queue) - l.head }
func (l *lane) peek() *Message { return &l.queue[l.head] }

// pop leaves the message in the queue's memory, where a later one overwrites it:
// payloads belong to nodes, which keep them for a whole run anyway.
func (l *lane) pop() {
	l.head++
	if l.head == len(l.queue) {
		l.queue, l.head = l.queue[:0], 0
	}
}

// moveUp makes room at the end: without it a lane that is never empty would grow
// with everything that ever went through it.
func (l *lane) moveUp() {
	n := copy(l.queue, l.queue[l.head:])
	clear(l.queue[n:])
	l.queue, l.head = l.queue[:n], 0
}

func (w *World) open(from, to NodeID, k connKind) Conn {
	i := w.firstFree
	if w.fresh {
		i = len(w.conns)
	}
	for i < len(w.conns) && w.conns[i].state != connFree {
		i++
	}
	w.firstFree = i + 1
	w.looksAt(CellNumbers, i)
	if i == len(w.conns) {
		// The slices may hold memory of an earlier run: take its queues over.
		w.conns = append(w.conns, Link{ID: Conn(i)})
		if cap(w.lanes) >= 2*i+2 {
			w.lanes = w.lanes[:2*i+2]
		} else {
			w.lanes = append(w.lanes, lane{}, lane{})
		}
		for _, n := range [2]int32{int32(2 * i), int32(2*i + 1)} {
			w.lanes[n].slot = w.newSlot(Deliver, 0, n)
		}
	}
	c := &w.conns[i]
	c.ID += 1 << connIndexBits
	c.Opener, c.Acceptor, c.kind, c.state = from, to, k, connOpen
	w.resetLane(2*i, to)
	w.resetLane(2*i+1, from)
	if len(w.partitions) > 0 {
		w.lanes[2*i].cut, w.lanes[2*i+1].cut = w.separated(from, to), w.separated(to, from)
	}
	return c.ID
}

func (w *World) resetLane(n int, to NodeID) {
	l := &w.lanes[n]
	*l = lane{queue: l.queue[:0], slot: l.slot}
	w.slots[l.slot].action.Node = to
	w.clearReady(l.slot)
}

// find returns the connection if it still is the one that c names.
func (w *World) find(c Conn) *Link {
	k := &w.conns[c.index()]
	if k.state == connFree || k.ID != c {
		return nil
	}
	return k
}

// laneFrom is the lane on which n sends.
func (w *World) laneFrom(k *Link, n NodeID) *lane {
	i := k.ID.index() * 2
	if n == k.Acceptor {
		i++
	}
	return &w.lanes[i]
}

// laneTo is the lane from which n receives.
func (w *World) laneTo(k *Link, n NodeID) *lane {
	i := k.ID.index() * 2
	if n == k.Opener {
		i++
	}
	return &w.lanes[i]
}

func (w *World) push(l *lane, m Message) {
	if w.mode == Timed {
		m.due = w.now + Time(w.delay(w.bounds[w.phase].Network, "network delay"))
		if l.len() > 0 {
			m.due = max(m.due, l.queue[len(l.queue)-1].due)
		}
		if pace := w.nodes[m.From].pace; pace > 0 {
			if b, bulky := m.Payload.(Bulky); bulky {
				m.due += Time(pace) * Time(b.Objects())
			}
		}
	}
	if l.head > 0 && len(l.queue) == cap(l.queue) {
		l.moveUp()
	}
	w.touchLane(l, true)
	l.queue = append(l.queue, m)
	if l.len() == 1 && !l.stopped() {
		w.makeReady(l.slot, m.due)
	}
}

func (w *World) deliver(s *slot) {
	l := &w.lanes[s.action.Number]
	k := &w.conns[s.action.Number/2]
	w.current = *l.peek()
	m := &w.current
	w.touchLane(l, true)
	w.touchConn(k.ID, false)
	wasFull := l.room > 0 && l.len() == l.room
	l.pop()
	if l.len() > 0 && !l.stopped() {
		w.makeReady(l.slot, l.peek().due)
	} else {
		w.clearReady(l.slot)
	}
	_, end := m.Payload.(*Hangup)
	switch {
	case end:
		// A broken connection ends when both ends have heard of it, a closed
		// one as soon as the other end has.
		l.deaf = true
		if w.laneFrom(k, m.To).deaf {
			w.free(k)
		}
	case k.kind == callConn && m.From == k.Acceptor:
		w.free(k)
	}
	w.act(m.To, m.Cause)
	w.own(m.To).Receive(&w.env, m)
	if wasFull {
		w.wakeSender(m)
	}
}

// wakeSender tells the sender of a message that its lane has room again.
func (w *World) wakeSender(m *Message) {
	if w.nodes[m.From].drained {
		w.looksAt(CellNode, int(m.From))
		w.act(m.From, w.nodes[m.From].root)
		w.own(m.From).(Drained).Drained(&w.env, m.Conn)
	}
}

func (w *World) free(k *Link) {
	i := k.ID.index()
	w.touchConn(w.conns[i].ID, true)
	k.state = connFree
	w.firstFree = min(w.firstFree, i)
	w.resetLane(2*i, 0)
	w.resetLane(2*i+1, 0)
}

// closeConn ends a connection: n hears nothing more, the peer hears what n sent
// before, then the hang-up. Giving up a call does not take the
// request back: it may still arrive and have its effect, and the connection
// ends when the answer comes to nothing.
func (w *World) closeConn(k *Link, n NodeID, h *Hangup) {
	answered := w.laneTo(k, n).len() > 0
	w.dropIncoming(k, n)
	switch {
	case k.state == connFree:
	case k.kind == callConn:
		if answered {
			w.free(k)
		}
	case k.state == connOpen:
		k.state = connEnding
		w.hangUp(k, w.laneFrom(k, n), n, h)
	}
}

// dropIncoming makes n stop listening; the connection is gone once neither end
// listens.
func (w *World) dropIncoming(k *Link, n NodeID) {
	in := w.laneTo(k, n)
	w.touchLane(in, true)
	in.queue, in.head, in.deaf = in.queue[:0], 0, true
	w.clearReady(in.slot)
	if w.laneFrom(k, n).deaf {
		w.free(k)
	}
}

// breakConn cuts a connection: each direction loses what was under way from
// some point on, then hears of it.
func (w *World) breakConn(c Conn) {
	k := w.find(c)
	k.state = connEnding
	for _, n := range [2]NodeID{k.Opener, k.Acceptor} {
		w.breakLane(k, n)
	}
}

// breakLane is breakConn for what one end sends.
func (w *World) breakLane(k *Link, n NodeID) {
	out := w.laneFrom(k, n)
	if out.deaf {
		return
	}
	if under := out.len(); under > 0 {
		kept := 0
		if w.nodes[n].pace == 0 {
			kept = w.choose(under+1, "survives the break")
		}
		clear(out.queue[out.head+kept:])
		out.queue = out.queue[:out.head+kept]
		if kept == 0 {
			w.clearReady(out.slot)
		}
	}
	w.hangUp(k, out, n, hangupBroken)
}

func (w *World) hangUp(k *Link, out *lane, n NodeID, h *Hangup) {
	to := k.Acceptor
	if n == k.Acceptor {
		to = k.Opener
	}
	m := Message{Payload: h, Conn: k.ID, From: n, To: to, Cause: w.nodes[n].root, Ordinal: w.ordinal(w.nodes[n].root)}
	if w.observed() {
		w.tell(Event{Kind: Sent, Node: n, Message: m})
	}
	w.push(out, m)
}

func (w *World) ordinal(c Cause) int32 {
	if w.nameless {
		return 0
	}
	r := &w.causes[c]
	r.sent++
	return r.sent - 1
}

// UnderWay calls f for each connection on which messages of a node are not yet
// received, with the first of them and their number. What survived the break of its
// connection is no concern of the sender any more, and is left out. Judges call it
// between steps.
func (w *World) UnderWay(from NodeID, f func(first *Message, count int)) {
	for i := 1; i < len(w.conns); i++ {
		k := &w.conns[i]
		if k.state == connFree || k.Opener != from && k.Acceptor != from {
			continue
		}
		if l := w.laneFrom(k, from); l.len() > 0 && l.queue[len(l.queue)-1].Payload != hangupBroken {
			f(l.peek(), l.len())
		}
	}
}

// NodeID numbers the nodes of a world in the order in which they were added.
// Node 0 is the world itself: it acts when a fault strikes.
type NodeID uint16

// Conn is one connection as both its ends see it: a gRPC stream or one unary
// call. Numbers are reused after a hang-up, so a Conn carries the generation
// of its number; sending on one that is gone is silently dropped, as a write
// to a dead TCP connection is.
type Conn uint32

// NoConn is the zero Conn; no connection has it.
const NoConn Conn = 0

const connIndexBits = 16

func (c Conn) index() int { return int(c & (1<<connIndexBits - 1)) }

// Payload is what a message says. Payloads are immutable once sent: the trace,
// clones of the world and the receiver share them.
type Payload interface {
	// Digest mixes everything in the payload into d.
	Digest(d Digest) Digest
	// Label is a short description for people: "Put /a=1".
	Label() string
}

// Bulky is a payload whose time on its way depends on how many objects are in it, if the
// node that sends it is paced (World.Pace).
type Bulky interface {
	Objects() int
}

// Message is a payload under way.
type Message struct {
	Payload  Payload
	Conn     Conn
	From, To NodeID
	// Cause is the operation or activity that led to this message, Ordinal its
	// number among that cause's messages. Together they name the message
	// independently of what other causes did before.
	Cause   Cause
	Ordinal int32
	due     Time
}

// Hangup is the payload that ends each lane of a connection that broke or was
// closed: what was sent before may have been lost when it broke.
type Hangup struct {
	// Broken is false if the peer closed the connection on purpose.
	Broken bool
}

func (h *Hangup) Digest(d Digest) Digest { return d.Text("hangup").Bool(h.Broken) }

func (h *Hangup) Label() string {
	if h.Broken {
		return "connection broken"
	}
	return "connection closed"
}

var (
	hangupBroken = &Hangup{Broken: true}
	hangupClosed = &Hangup{}
)

// Cause is why something happens: an operation of a client or an activity of a
// node. It is an index into a table of its world.
type Cause int32

type causeRecord struct {
	node     NodeID
	activity string
	seq      int
	sent     int32
}

// OmitNames has the world keep nothing that only replays, stories and figures need: names of causes and messages, the
// hash of the trace, and metrics. What happens in it stays the same. It and its clones count coverage points together.
// Call it before the nodes are added. It is for many worlds of which no story is told.
func (w *World) OmitNames() { w.nameless, w.untraced = true, true }

func (w *World) newCause(r causeRecord) Cause {
	if w.nameless {
		return 0
	}
	w.causes = append(w.causes, r)
	return Cause(len(w.causes) - 1)
}
