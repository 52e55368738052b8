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

// LoseMessage takes a message off a stream, or puts another one into its place, and
// neither end hears of it. No
// network does that to a stream: it stands for a bug of the sender, and plants
// what a detector of such bugs has to find.
type LoseMessage struct {
	// From are the nodes one of which sends it.
	From  []NodeID
	To    NodeID
	Label string
	// Match says which messages count.
	Match func(Payload) bool
	// Instead makes what takes its place. Without it, and where it makes nil, nothing does.
	Instead func(Payload) Payload
}

func (f *LoseMessage) Name() string { return "lose " + f.Label }

func (f *LoseMessage) Ready(w *World) bool {
	l, _ := f.find(w)
	return l != nil
}

func (f *LoseMessage) Strike(env *Env) {
	w := env.w
	l, i := f.find(w)
	if l == nil {
		return
	}
	if f.Instead != nil {
		if instead := f.Instead(l.queue[i].Payload); instead != nil {
			l.queue[i].Payload = instead
			return
		}
	}
	m := l.queue[i]
	wasFull := l.room > 0 && l.len() == l.room
	l.queue = slices.Delete(l.queue, i, i+1)
	switch {
	case l.len() == 0:
		l.queue, l.head = l.queue[:0], 0
		w.clearReady(l.slot)
	case !l.stopped():
		w.makeReady(l.slot, l.peek().due)
	}
	if wasFull {
		w.wakeSender(&m)
	}
}

// find returns the first message that matches, by its lane and its place there.
func (f *LoseMessage) find(w *World) (*lane, int) {
	for c := range w.conns {
		k := &w.conns[c]
		var from NodeID
		switch f.To {
		case k.Opener:
			from = k.Acceptor
		case k.Acceptor:
			from = k.Opener
		}
		if k.state != connOpen || k.kind != streamConn || !slices.Contains(f.From, from) {
			continue
		}
		l := w.laneFrom(k, from)
		for i := l.head; i < len(l.queue); i++ {
			if f.Match(l.queue[i].Payload) {
				return l, i
			}
		}
	}
	return nil, 0
}

// Refuse answers a request in the place of the node that it was sent to, or goes on
// where that node is answering: what stands before a server, or a part of it that is
// simulated nowhere, refuses the client. What the node itself answers comes too late.
type Refuse struct {
	From, To NodeID
	Label    string
	// Kinds is how many refusals there are, and Refusal one of them, as the answer to
	// a call or as what ends a stream.
	Kinds   int
	Refusal func(kind int, call bool) Payload
	// Calls: only calls are refused, and no stream ends.
	Calls bool
}

func (f *Refuse) Name() string        { return "refuse " + f.Label }
func (f *Refuse) Ready(w *World) bool { return f.find(w) != nil }

func (f *Refuse) Strike(env *Env) {
	w := env.w
	k := f.find(w)
	if k == nil {
		return
	}
	kind := env.Choose(f.Kinds, "refusal")
	w.act(f.To, w.nodes[f.To].root)
	env.Send(k.ID, f.Refusal(kind, k.kind == callConn))
}

// find returns the first connection that a refusal can be sent on.
func (f *Refuse) find(w *World) *Link {
	for i := range w.conns {
		k := &w.conns[i]
		if k.state != connOpen || k.Opener != f.From || k.Acceptor != f.To {
			continue
		}
		if f.Calls && k.kind != callConn {
			continue
		}
		l := w.laneFrom(k, f.To)
		if !l.deaf && (l.room == 0 || l.len() < l.room) && (k.kind == streamConn || l.len() == 0) {
			return k
		}
	}
	return nil
}

// Partition cuts nodes off from each other for some time, as a network does that drops
// packets: connections stay open, what is sent waits, and new connections wait with their
// first message. TCP sends everything again afterwards. A partition that ends before
// keepalives are missed breaks nothing, so a longer one takes BreakStream beside it.
//
// Each strike begins the partition or ends it, so a budget is even: two strikes for each
// time. When timed, the world draws when the second comes; untimed it may come at any
// point. Heal ends all partitions.
type Partition struct {
	// One and Other are the nodes on both sides; without Other it is all other nodes.
	One, Other []NodeID
	// OneWay: only what One sends is held up.
	OneWay bool
	// Breaks: the second strike breaks the streams between both sides, so that a part of what waits is lost. Heal does
	// not.
	Breaks bool
	// Label says between which: "between a and b".
	Label string
}

func (f *Partition) Name() string          { return "partition " + f.Label }
func (f *Partition) Ready(*World) bool     { return true }
func (f *Partition) partition() *Partition { return f }

// partitionOf is the partition that a fault is, or that it embeds; nil if there is none.
func partitionOf(f Fault) *Partition {
	if p, ok := f.(interface{ partition() *Partition }); ok {
		return p.partition()
	}
	return nil
}

// Stands reports whether the partition has begun and not ended.
func (f *Partition) Stands(env *Env) bool { return slices.Contains(env.w.partitions, f) }

func (f *Partition) Strike(env *Env) {
	w := env.w
	if i := slices.Index(w.partitions, f); i >= 0 {
		w.partitions = slices.Delete(w.partitions, i, i+1)
		f.breakStreams(w)
		partitionEnds.Say(env, f.Label)
	} else {
		env.Cover(partitionBegan)
		w.partitions = append(w.partitions, f)
		partitionBegins.Say(env, f.Label)
	}
	w.cutLanes()
}

var (
	partitionBegins = NewNote1[string]("sim.partitioned", "no message gets through %s", IsSetback)
	partitionEnds   = NewNote1[string]("sim.partitioned", "messages get through again %s")
)

// breakStreams breaks the streams between both sides, if it is to.
func (f *Partition) breakStreams(w *World) {
	for i := 1; f.Breaks && i < len(w.conns); i++ {
		k := &w.conns[i]
		if k.state == connOpen && k.kind == streamConn && (f.separates(k.Opener, k.Acceptor) || f.separates(k.Acceptor, k.Opener)) {
			w.breakConn(k.ID)
		}
	}
}

// separates reports whether nothing gets from one node to another. Faults reach every
// node.
func (f *Partition) separates(a, b NodeID) bool {
	if a == 0 || b == 0 || a == b {
		return false
	}
	return slices.Contains(f.One, a) && f.beyond(b) || !f.OneWay && slices.Contains(f.One, b) && f.beyond(a)
}

func (f *Partition) beyond(n NodeID) bool {
	if len(f.Other) == 0 {
		return !slices.Contains(f.One, n)
	}
	return slices.Contains(f.Other, n)
}

var partitionBegan = NewCoveragePoint("world: nodes are cut off from each other for some time")

// separated reports whether any partition is on the way from one node to another.
func (w *World) separated(a, b NodeID) bool {
	for _, f := range w.partitions {
		if f.separates(a, b) {
			return true
		}
	}
	return false
}

// cutLanes has the lanes of all connections follow the partitions that there are now.
func (w *World) cutLanes() {
	for i := 1; i < len(w.conns); i++ {
		k := &w.conns[i]
		if k.state == connFree {
			continue
		}
		for n, cut := range [2]bool{w.separated(k.Opener, k.Acceptor), w.separated(k.Acceptor, k.Opener)} {
			l := &w.lanes[2*i+n]
			if l.cut == cut {
				continue
			}
			l.cut = cut
			switch {
			case cut:
				w.clearReady(l.slot)
			case l.len() > 0 && !l.stopped():
				w.makeReady(l.slot, l.peek().due)
			}
		}
	}
}

// healPartitions ends all of them.
func (w *World) healPartitions() {
	if len(w.partitions) > 0 {
		w.partitions = w.partitions[:0]
		w.cutLanes()
	}
}
