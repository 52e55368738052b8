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
