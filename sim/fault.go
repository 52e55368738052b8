package sim

import "slices"

// Fault is something that can go wrong in the safety phase.
type Fault interface {
	// Name names the fault for people and for replay.
	Name() string
	// Ready reports whether striking now would make a difference. It must
	// depend on the world's state only.
	Ready(w *World) bool
	// Strike breaks it. env acts for the world itself (node 0).
	Strike(env *Env)
}

// Budget is how often, and in timed mode until when, a fault may strike.
type Budget struct {
	Times int
	// Within: when timed, the strikes fall into this time from the start.
	Within Duration
}

type plannedFault struct {
	fault  Fault
	left   int
	slot   int32
	within Duration
}

// Node is another node of the world, for faults that change what a process is
// before they restart it. Nodes know each other by messages only.
func (e *Env) Node(n NodeID) Node {
	return e.w.own(n)
}

// BreakStream cuts one open stream between two nodes. What was under way is
// lost from some point on, each direction for itself.
type BreakStream struct {
	// From are the nodes that may have opened it.
	From  []NodeID
	To    NodeID
	Label string
}

func (f *BreakStream) Name() string        { return "break " + f.Label }
func (f *BreakStream) Ready(w *World) bool { return w.first(f.cuts) != NoConn }
func (f *BreakStream) Strike(env *Env)     { env.w.breakFirst(f.cuts) }

func (f *BreakStream) cuts(_ *World, k *Link) bool {
	return k.kind == streamConn && k.Acceptor == f.To && slices.Contains(f.From, k.Opener)
}

// Keepalive is an optional capability of a node that opens streams: the time in which its transport notices that the
// other end of a stream is gone, if nothing comes from there any more. At most 0 is never, as without the capability.
type Keepalive interface {
	Notices() (atLeast, atMost Duration)
}

// HalfOpen takes away the far end of one open stream, as a NAT entry that expires or a machine that loses power: what
// was under way is lost, and so is what the opener sends from now on. It notices by its Keepalive; untimed at any
// point. When the network is back, at the end of the safety phase, it notices at once.
type HalfOpen struct{ BreakStream }

func (f *HalfOpen) Name() string { return "half-open " + f.Label }

var halfOpened = NewCoveragePoint("world: a stream is half-open")

// Strike implements Fault.
func (f *HalfOpen) Strike(env *Env) {
	w := env.w
	c := w.first(f.cuts)
	if c == NoConn {
		return
	}
	env.Cover(halfOpened)
	k := w.find(c)
	w.breakLane(k, k.Opener)
	k.state = connEnding
	if l := w.laneFrom(k, k.Acceptor); l.len() > 0 {
		w.touchLane(l, true)
		l.queue, l.head = l.queue[:0], 0
		w.clearReady(l.slot)
	}
	opener, notices := w.nodes[k.Opener].node.(Keepalive)
	if !notices {
		return
	}
	if least, most := opener.Notices(); most > 0 {
		w.hangUp(k, w.laneFrom(k, k.Acceptor), k.Acceptor, hangupBroken)
		if w.mode == Timed {
			w.postpone(k, w.delay(Delay{Min: least, Max: most, Steps: 8}, "keepalive"))
		}
	}
}

// Heal implements Healer.
func (f *HalfOpen) Heal(env *Env) {
	w := env.w
	for i := range w.conns {
		if k := &w.conns[i]; w.mode == Timed && k.state == connEnding && f.cuts(w, k) {
			w.postpone(k, 0)
		}
	}
}

// postpone has the opener of a stream hear that it is broken so long from now.
func (w *World) postpone(k *Link, delay Duration) {
	l := w.laneFrom(k, k.Acceptor)
	if l.len() != 1 || l.peek().Payload != hangupBroken {
		return
	}
	w.clearReady(l.slot)
	if l.peek().due = w.now + Time(delay); !l.stopped() {
		w.makeReady(l.slot, l.peek().due)
	}
}

// BreakCall cuts one unary call to one of these nodes, as a caller does that is cancelled.
// Both ends hear of it; what was under way is lost.
type BreakCall struct {
	To    []NodeID
	Label string
}

func (f *BreakCall) Name() string        { return "break call to " + f.Label }
func (f *BreakCall) Ready(w *World) bool { return w.first(f.cuts) != NoConn }
func (f *BreakCall) Strike(env *Env)     { env.w.breakFirst(f.cuts) }

func (f *BreakCall) cuts(w *World, k *Link) bool {
	return k.kind == callConn && slices.Contains(f.To, k.Acceptor) && !w.laneFrom(k, k.Acceptor).deaf
}

// first is the first open connection that a fault cuts.
func (w *World) first(cuts func(*World, *Link) bool) Conn {
	for i := range w.conns {
		if k := &w.conns[i]; k.state == connOpen && cuts(w, k) {
			return k.ID
		}
	}
	return NoConn
}

func (w *World) breakFirst(cuts func(*World, *Link) bool) {
	if c := w.first(cuts); c != NoConn {
		w.breakConn(c)
	}
}

// RestartProcess crashes the nodes of one process and starts them again, in the
// order given: they lose their memory, and their connections break.
type RestartProcess struct {
	Nodes []NodeID
	Label string
}

func (f *RestartProcess) Name() string      { return "restart " + f.Label }
func (f *RestartProcess) Ready(*World) bool { return true }
func (f *RestartProcess) Strike(env *Env)   { env.w.restart(f.Nodes) }

func (w *World) restart(process []NodeID) {
	for _, n := range process {
		w.stop(n)
	}
	for _, n := range process {
		w.act(n, w.nodes[n].root)
		w.own(n).(Restarter).Restart(&w.env)
	}
}

// Crash ends the process whose nodes these are as soon as the present step is
// over, and starts it again, as RestartProcess does: the acting node panics.
func (e *Env) Crash(process []NodeID) {
	e.w.crashing = process
}

// Healer is an optional capability of a fault that lasts: the end of the safety phase ends it. Heal must not choose.
type Healer interface {
	Heal(env *Env)
}

// Signal is what a process hears from its machine, and from no message: that it is stopped, that its disk stalls, that
// its clock was set.
type Signal struct {
	To    NodeID
	Label string
	// Give has the node act, End end it in the liveness phase if it lasts. env is that of the node.
	Give, End func(env *Env, n Node)
}

func (f *Signal) Name() string      { return f.Label }
func (f *Signal) Ready(*World) bool { return true }
func (f *Signal) Strike(env *Env)   { f.act(env, f.Give) }

// Heal implements Healer.
func (f *Signal) Heal(env *Env) {
	if f.End != nil {
		f.act(env, f.End)
	}
}

func (f *Signal) act(env *Env, how func(*Env, Node)) {
	w := env.w
	w.act(f.To, w.nodes[f.To].root)
	how(&w.env, w.own(f.To))
}
