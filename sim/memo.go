package sim

// Memo remembers what nodes did: a node that is called again in the same state, for the same
// reason, does the same. The worlds of a search have most of their nodes in common (Fork),
// and most of their steps have been taken in another world before. Such a step is not taken
// again: what it asked of its world is repeated, and the node that it led to takes the place
// of the one before. A memo is for one goroutine.
//
// Nothing is assumed: a node is the same if it is the same object, which has not acted since,
// and all that it is told by the world must come out as before, or the step is taken anew.
type Memo struct {
	alike    func(a, b any) bool
	calls    map[call]*remembered
	nodes    map[Digest][]Node
	payloads map[Digest]Payload
	// kept is how many nodes there are.
	kept    int
	journal journal
	// Repeated and Taken count the calls of nodes.
	Repeated, Taken int
}

// maxCalls and maxNodes are how much is remembered before all of it is forgotten. A node of a
// small world has some 10 kB.
const (
	maxCalls = 1 << 17
	maxNodes = 1 << 13
)

// maxAlike is how many nodes with one fingerprint are held apart.
const maxAlike = 16

// NewMemo returns an empty memo. alike reports whether two nodes, or two payloads, are equal in
// everything that they consist of: the memo then goes on with one in place of both, so that
// what is remembered of one holds for the other.
func NewMemo(alike func(a, b any) bool) *Memo {
	m := &Memo{alike: alike}
	m.forget()
	return m
}

func (m *Memo) forget() {
	m.calls, m.nodes, m.payloads, m.kept = map[call]*remembered{}, map[Digest][]Node{}, map[Digest]Payload{}, 0
}

// call is a node that acts, and why.
type call struct {
	node    Node
	kind    callKind
	payload Payload
	conn    Conn
	from    NodeID
	cause   Cause
	// index is that of the timer or the loop.
	index int32
	// answers tells apart what the node is answered to its questions.
	answers uint64
	// tick is the first reading of the counter that orders calls and returns, 0 if the node
	// does not read it.
	tick int64
}

type callKind uint8

const (
	callReceive callKind = iota
	callFire
	callRun
	callDrained
)

// remembered is what a call led to.
type remembered struct {
	node      Node
	behaviour Digest
	peers     *[]NodeID
	effects   []effect
	// ticks: the node reads the counter that orders calls and returns, so that there is one of
	// these for each reading.
	ticks bool
}

// find returns what a call led to before, nil if it is not known. ticks is the counter of
// the world.
func (m *Memo) find(c call, ticks int64) *remembered {
	r := m.calls[c]
	if r != nil && r.ticks {
		c.tick = ticks + 1
		r = m.calls[c]
	}
	return r
}

// remember takes down what a call led to: the journal says what the node did, n is what
// became of it, described.
func (m *Memo) remember(c call, n *nodeRecord) {
	if len(m.calls) >= maxCalls || m.kept >= maxNodes {
		m.forget()
	}
	r := &remembered{node: n.node, behaviour: n.behaviour, peers: n.peers, effects: append([]effect(nil), m.journal.effects...)}
	if tick, ticks := m.journal.firstTick(); ticks {
		// Under the call without a tick stands that it has one.
		r.ticks = true
		m.calls[c] = r
		c.tick = tick
	}
	m.calls[c] = r
}

// oneOf returns a node that is equal to this one: the first that was met, so that it is the
// same object wherever it comes from.
func (m *Memo) oneOf(n Node, fingerprint Digest) Node {
	// Clone marks in both nodes what they share. Nodes of which each was cloned are equal in
	// these marks too.
	n.(Cloner).Clone()
	alike := m.nodes[fingerprint]
	for _, known := range alike {
		if m.alike(known, n) {
			return known
		}
	}
	if len(alike) < maxAlike {
		m.nodes[fingerprint] = append(alike, n)
	}
	m.kept++
	return n
}

// payload is oneOf for a payload.
func (m *Memo) payload(p Payload) Payload {
	d := p.Digest(NewDigest)
	known, met := m.payloads[d]
	if met && m.alike(known, p) {
		return known
	}
	m.payloads[d] = p
	return p
}

// UseMemo gives a world and its forks a memo for DoAgain, before the first step.
func (w *World) UseMemo(m *Memo) { w.memo = m }

// DoAgain is Do, but nodes do not take steps that the memo of the world remembers. answers is a
// number for what c will answer, different for different answers. It returns false if the
// world answers a node otherwise than it did when the step was remembered: the world is then
// no good any more, and DoAnew takes the step in another fork. A timed world, and one that is
// observed, takes each step itself.
func (w *World) DoAgain(c Chooser, a Action, answers uint64) bool {
	w.recall = recall{on: w.remembers(), lookUp: true, answers: answers}
	w.Do(c, a)
	failed := w.recall.failed
	w.recall = recall{}
	return !failed
}

// DoAnew is Do, and the memo remembers it in place of what it remembered before.
func (w *World) DoAnew(c Chooser, a Action, answers uint64) {
	w.recall = recall{on: w.remembers(), answers: answers}
	w.Do(c, a)
	w.recall = recall{}
}

func (w *World) remembers() bool {
	return w.memo != nil && w.mode == Untimed && w.observer == nil && w.footprint == nil
}

// recall is how the present step uses the memo.
type recall struct {
	on, lookUp bool
	answers    uint64
	// failed: the world answered otherwise.
	failed bool
}

// call has a node act, or repeats what it did.
func (w *World) call(id NodeID, c call) {
	if w.recall.failed {
		return
	}
	n := &w.nodes[id]
	c.node, c.answers = n.node, w.recall.answers
	if w.recall.lookUp {
		if r := w.memo.find(c, w.ticks); r != nil {
			if !w.env.repeat(r.effects) {
				w.recall.failed = true
				return
			}
			w.memo.Repeated++
			n.node, n.behaviour, n.peers, n.shared = r.node, r.behaviour, r.peers, true
			return
		}
	}
	w.memo.Taken++
	// What is remembered of the node as it was must stay true.
	n.shared = true
	j := &w.memo.journal
	j.begin()
	w.journal = j
	w.carryOut(w.own(id), &c)
	w.journal = nil
	f, ok := n.node.(Fingerprinter)
	if j.unrepeatable || !ok {
		return
	}
	n.describe(f)
	n.node, n.shared = w.memo.oneOf(n.node, f.Fingerprint(NewDigest)), true
	w.memo.remember(c, n)
}

func (w *World) carryOut(n Node, c *call) {
	switch c.kind {
	case callReceive:
		n.Receive(&w.env, &w.current)
	case callFire:
		n.Fire(&w.env, Timer(c.index))
	case callRun:
		n.Run(&w.env, Task(c.index))
	case callDrained:
		n.(Drained).Drained(&w.env, c.conn)
	}
}
