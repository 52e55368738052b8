// Package sim (unstable) is the world: nodes that exchange messages, timers, faults and a
// virtual clock. The package that uses a world advances it, one action at a time.
//
// A node is a state machine without I/O. It is handed a message, a timer or one
// of its own loops, changes its state, and asks its Env for messages, timers
// and loops in return. At each point the world offers the list of what can
// happen next, in a stable order (Enabled); a Chooser picks. What the original
// leaves open inside one step is a Choose. The picks and the choices are the
// run: the same ones give the same trace hash on every machine.
//
//	lane    one direction of a connection: messages in it keep their order
//	conn    a gRPC stream or one unary call: two lanes
//	task    a loop of a node that has something to do
//	timer   fires at any time when untimed, at its time when timed
//	fault   something that breaks, as often as its budget allows
//	parts   what a world consists of, and is put together from
//
// Simulated code (this package and everything below it) has no goroutine,
// channel, mutex, wall clock, global random source or map iteration; a test in
// this package reads the source and fails otherwise. The package must never
// import any other package of this module but metric: it does not know what
// a message says.
package sim

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"

	"github.com/watchbed/watchbed/metric"
)

// World holds the nodes and everything under way between them.
type World struct {
	mode   Mode
	bounds [2]Bounds
	phase  Phase
	now    Time
	step   uint32
	ticks  int64

	nodes []nodeRecord
	conns []Link
	// firstFree is at most the number of the first connection that is free.
	firstFree int
	// fresh: no connection takes the number of one that is gone (KeepNumbers).
	fresh  bool
	lanes  []lane
	faults []plannedFault
	// partitions are those that there are at present.
	partitions []*Partition
	causes     []causeRecord
	// nameless: causes have no records, and messages no names (OmitNames).
	nameless bool

	// slots is the table of everything that can ever happen, ready the set of
	// those entries that can happen now. A bit set keeps the order stable and
	// costs next to nothing to walk.
	slots   []slot
	ready   []uint64
	enabled []Action
	// follows is set while enabled is long: each step then changes it, in place of
	// making it anew. A short list is made anew sooner than it is searched.
	follows bool

	// crashing is the process that panicked in the present step.
	crashing []NodeID

	chooser  Chooser
	observer Observer
	// follower is an observer that belongs to the run.
	follower Observer
	told     Event
	// footprint is where the cells go that steps touch, nil if they are not
	// recorded.
	footprint *Footprint
	env       Env
	// clone clones a node that other worlds have as well; nil is its method Clone.
	clone    func(Node) Node
	current  Message
	trace    Digest
	untraced bool
	counts   []uint64
	metrics  []metric.Distribution
	stats    Stats
}

type nodeRecord struct {
	node    Node
	name    string
	drained bool
	root    Cause
	tasks   []int32 // slot by task number, 0 for none yet
	timers  []int32
	// shared: a clone of the world has the same node. The world makes it its own before it changes.
	shared bool
	// behaviour is the digest that Behaviour mixes in, kept until the node acts; 0 is not
	// known. conns are those that it leaves out (Connected).
	behaviour Digest
	conns     []Conn
	// pace is how long each object takes on its way to a peer.
	pace Duration
}

// forget empties the record for the node of another run, which most likely has
// as many loops and timers.
func (r *nodeRecord) forget() { *r = nodeRecord{tasks: r.tasks[:0], timers: r.timers[:0]} }

// Stats counts what a run did.
type Stats struct {
	// Choices is Picks plus the Choose calls.
	Choices uint64
	// Picks is the number of steps: each began with a choice among the enabled
	// actions.
	Picks uint64
	// Open is the number of choices that had more than one option.
	Open     uint64
	Messages uint64
}

// Options are the settings of a world.
type Options struct {
	Mode Mode
	// Safety and Liveness are the delays of the two phases of a timed run.
	Safety, Liveness Bounds
	// Untraced leaves the payloads out of the trace hash, for a world that keeps
	// step with something real: there is no replay to compare with, and hashing a
	// list of a gigabyte takes as long as sending it.
	Untraced bool
}

// NewWorld returns an empty world.
func NewWorld(o Options) *World {
	w := &World{}
	w.Reset(o)
	return w
}

// Reset empties the world for another run and keeps its memory.
func (w *World) Reset(o Options) {
	for i := range w.nodes {
		w.nodes[i].forget()
	}
	clear(w.counts)
	if w.mode == Timed {
		// Nothing is recorded in any other.
		for i := range w.metrics {
			w.metrics[i].Reset()
		}
	}
	*w = World{
		mode: o.Mode, bounds: [2]Bounds{o.Safety, o.Liveness},
		nodes: w.nodes[:0], conns: w.conns[:0], lanes: w.lanes[:0], faults: w.faults[:0], partitions: w.partitions[:0],
		causes: w.causes[:0], nameless: w.nameless, slots: w.slots[:0], ready: w.ready[:0], enabled: w.enabled,
		counts: w.counts, metrics: w.metrics, trace: NewDigest, observer: w.observer, footprint: w.footprint, untraced: o.Untraced || w.nameless,
	}
	if len(w.counts) < len(coveragePoints) {
		w.counts = make([]uint64, len(coveragePoints))
	}
	if len(w.metrics) < metric.Count() {
		w.metrics = make([]metric.Distribution, metric.Count())
	}
	w.env.w = w
	w.firstFree = 1
	w.causes = append(w.causes, causeRecord{activity: "world"})
	w.nodes = append(w.nodes, nodeRecord{name: "world"})
	w.conns = append(w.conns, Link{})
	w.lanes = append(w.lanes, lane{}, lane{})
	w.slots = append(w.slots, slot{})
}

// Add puts a node into the world.
func (w *World) Add(name string, n Node) NodeID {
	id := NodeID(len(w.nodes))
	if len(w.nodes) == cap(w.nodes) {
		w.nodes = append(w.nodes, nodeRecord{})
	} else {
		w.nodes = w.nodes[:id+1]
	}
	rec := &w.nodes[id]
	rec.node, rec.name, rec.root = n, name, w.newCause(causeRecord{node: id, activity: "start"})
	_, rec.drained = n.(Drained)
	return id
}

// Pace sets how long each object of a Bulky payload takes on its way from a node to a
// peer, when timed: the bandwidth of its connections. All that is under way is lost if
// the connection breaks, because the last byte of it has not been sent.
func (w *World) Pace(n NodeID, object Duration) { w.nodes[n].pace = object }

// AddFault plans a fault.
func (w *World) AddFault(f Fault, b Budget) {
	w.faults = append(w.faults, plannedFault{fault: f, left: b.Times, within: b.Within})
}

// Start starts all nodes.
func (w *World) Start(c Chooser) {
	w.chooser = c
	for i := 1; i < len(w.nodes); i++ {
		w.act(NodeID(i), w.nodes[i].root)
		w.own(NodeID(i)).Start(&w.env)
	}
	for i := range w.faults {
		f := &w.faults[i]
		f.slot = w.newSlot(Inject, 0, int32(i))
		if f.left > 0 {
			w.planFault(f)
		}
	}
}

// faultSteps is how finely a timed run chooses when a fault strikes.
const faultSteps = 64

func (w *World) planFault(f *plannedFault) {
	due := w.now
	if w.mode == Timed {
		left := Time(f.within) - w.now
		if left <= 0 {
			return
		}
		due += left * Time(w.choose(faultSteps, "strike "+f.fault.Name())) / faultSteps
	}
	w.makeReady(f.slot, due)
}

// Step lets c pick one enabled action and carries it out. It returns false if
// nothing is enabled.
func (w *World) Step(c Chooser) bool {
	list := w.Enabled()
	if len(list) == 0 {
		return false
	}
	w.Do(c, list[c.Pick(w, list)])
	return true
}

// Do carries out one action of the list that Enabled returned last; c answers
// the choices inside it.
func (w *World) Do(c Chooser, a Action) {
	w.chooser = c
	w.stats.Choices++
	w.stats.Picks++
	if len(w.enabled) > 1 {
		w.stats.Open++
	}
	s := &w.slots[a.Slot]
	if w.mode == Timed && s.due > w.now {
		w.now = s.due
	}
	w.step++
	w.trace = w.trace.Word(uint64(a.Slot)<<16 | uint64(a.Node)<<4 | uint64(a.Kind))
	if w.observed() {
		e := Event{Kind: Acted, Action: a, Node: a.Node}
		if w.observer != nil {
			e.Text = w.Name(a)
		}
		w.tell(e)
	}
	switch a.Kind {
	case Deliver:
		w.deliver(s)
	case Fire:
		w.touchReady(a.Slot, true)
		w.clearReady(a.Slot)
		w.act(a.Node, s.cause)
		w.own(a.Node).Fire(&w.env, Timer(s.action.Number))
	case Run:
		w.touchReady(a.Slot, true)
		w.clearReady(a.Slot)
		w.act(a.Node, w.nodes[a.Node].root)
		w.own(a.Node).Run(&w.env, Task(s.action.Number))
	case Inject:
		f := &w.faults[s.action.Number]
		f.left--
		w.clearReady(a.Slot)
		w.act(0, 0)
		w.env.TouchAll()
		f.fault.Strike(&w.env)
		if f.left > 0 {
			w.planFault(f)
		}
	}
	if w.crashing != nil {
		w.env.TouchAll()
		process := w.crashing
		w.crashing = nil
		w.restart(process)
	}
}

func (w *World) act(n NodeID, c Cause) {
	w.env.node, w.env.cause = n, c
}

// Heal ends the safety phase: faults strike no more, and the delays are those
// of the liveness phase.
func (w *World) Heal() {
	w.phase = Liveness
	for i := range w.faults {
		w.faults[i].left = 0
		w.clearReady(w.faults[i].slot)
		if h, lasts := w.faults[i].fault.(Healer); lasts {
			h.Heal(&w.env)
		}
	}
	w.healPartitions()
}

// stop takes away what the process of a node held open.
func (w *World) stop(n NodeID) {
	for i := 1; i < len(w.conns); i++ {
		k := &w.conns[i]
		if k.state != connFree && (k.Opener == n || k.Acceptor == n) {
			w.breakConn(k.ID)
			w.dropIncoming(k, n)
		}
	}
	rec := &w.nodes[n]
	for _, s := range rec.tasks {
		w.clearReady(s)
	}
	for _, s := range rec.timers {
		w.clearReady(s)
	}
}

func (w *World) choose(n int, what string) int {
	v := w.chooser.Choose(w, n, what)
	if v < 0 || v >= n {
		panic(fmt.Sprintf("sim: chooser answered %d to %q, which has %d options", v, what, n))
	}
	w.stats.Choices++
	w.stats.Open++
	w.trace = w.trace.Word(uint64(v))
	if w.observer != nil {
		w.tell(Event{Kind: Chosen, Node: w.env.node, Text: what, Picked: v, Options: n})
	}
	return v
}

func (w *World) delay(d Delay, what string) Duration {
	// Which delay it is depends on the phase.
	w.looksAt(CellPhase, 0)
	if d.Steps == 0 || d.Max == d.Min {
		return d.Min
	}
	return d.Min + (d.Max-d.Min)*Duration(w.choose(d.Steps+1, what))/Duration(d.Steps)
}

func (w *World) newSlot(k Kind, n NodeID, index int32) int32 {
	id := int32(len(w.slots))
	w.slots = append(w.slots, slot{action: Action{Slot: id, Node: n, Kind: k, Number: index}})
	if int(id)>>6 >= len(w.ready) {
		w.ready = append(w.ready, 0)
	}
	return id
}

// Mode is untimed or timed.
func (w *World) Mode() Mode { return w.mode }

// Phase is the part of the run.
func (w *World) Phase() Phase { return w.phase }

// Now is the virtual clock; it stands still when untimed.
func (w *World) Now() Time { return w.now }

// Steps is the number of actions so far.
func (w *World) Steps() int { return int(w.step) }

// Stats counts what happened so far.
func (w *World) Stats() Stats { return w.stats }

// Count is how often a coverage point came about so far.
func (w *World) Count(s CoveragePoint) uint64 { return w.counts[s] }

// TraceHash covers every action, choice and message with its payload so far.
func (w *World) TraceHash() uint64 { return w.trace.Sum() }

// Accepted is how many open connections to a node were opened by others.
func (w *World) Accepted(n NodeID) int {
	open := 0
	for i := 1; i < len(w.conns); i++ {
		if k := &w.conns[i]; k.state == connOpen && k.Acceptor == n {
			open++
		}
	}
	return open
}

// AcceptedFrom names the nodes that have opened those connections. It is for judges.
func (w *World) AcceptedFrom(n NodeID) (names []string) {
	for i := 1; i < len(w.conns); i++ {
		if k := &w.conns[i]; k.state == connOpen && k.Acceptor == n {
			names = append(names, w.NodeName(k.Opener))
		}
	}
	return names
}

// IsAccepted reports whether a connection that others have opened to a node is open. It is for judges.
func (w *World) IsAccepted(n NodeID, c Conn) bool { return w.IsOpen(c) && w.find(c).Acceptor == n }

// Opened is how many connections a node has opened and may still hear from, and how many of them it does not hold any
// more, as its Conns say. It is for judges.
func (w *World) Opened(n NodeID) (all, forgotten int) {
	node, ok := w.nodes[n].node.(Connected)
	if !ok {
		return 0, 0
	}
	var opened []Conn
	for i := 1; i < len(w.conns); i++ {
		if k := &w.conns[i]; k.state == connOpen && k.Opener == n && !w.laneTo(k, n).deaf {
			opened = append(opened, k.ID)
		}
	}
	if all = len(opened); all > 0 {
		node.Conns(func(c Conn) {
			if at := slices.Index(opened, c); at >= 0 {
				opened = slices.Delete(opened, at, at+1)
			}
		})
	}
	return all, len(opened)
}

// IsOpen reports whether a connection is open at both ends. It is for judges.
func (w *World) IsOpen(c Conn) bool {
	k := w.find(c)
	return k != nil && k.state == connOpen
}

// Node returns a node. It is for judges, which look at its state between steps.
func (w *World) Node(n NodeID) Node { return w.nodes[n].node }

// NodeName is the name under which the node was added.
func (w *World) NodeName(n NodeID) string { return w.nodes[n].name }

// Acting is the node whose turn it is: the one whose choice is being settled.
func (w *World) Acting() NodeID { return w.env.node }

// Wait is how long a timer that can fire was armed for, 0 for any other action.
// In an untimed world any timer may fire at any point. A search for what happens
// in practice uses Wait to distinguish long timers from short ones.
func (w *World) Wait(a Action) Duration {
	if a.Kind != Fire {
		return 0
	}
	return w.slots[a.Slot].due.Sub(w.now)
}

// TimerOf is the timer that a Fire action fires, as its node numbers them.
func (w *World) TimerOf(a Action) Timer { return Timer(a.Number) }

// IsDeadline reports whether an action fires a timer that gives something up.
func (w *World) IsDeadline(a Action) bool {
	if a.Kind != Fire {
		return false
	}
	d, ok := w.nodes[a.Node].node.(Deadlines)
	return ok && d.IsDeadline(w.TimerOf(a))
}

// Nodes is the number of nodes, the world itself (node 0) included.
func (w *World) Nodes() int { return len(w.nodes) }

// Name renders an action: its kind, the endpoints, and for a message the cause
// with the ordinal within that cause. Names hold no global counters, so that a
// recording still fits after unrelated code has changed.
func (w *World) Name(a Action) string { return string(w.AppendName(nil, a)) }

// AppendName appends what Name returns. It is for comparing the names of many
// runs without allocating.
func (w *World) AppendName(b []byte, a Action) []byte {
	b = append(append(b, a.Kind.String()...), ' ')
	switch a.Kind {
	case Deliver:
		m := w.lanes[a.Number].peek()
		b = append(append(b, w.nodes[m.From].name...), '>')
		b = append(append(b, w.nodes[m.To].name...), ' ')
		return strconv.AppendInt(append(w.appendCause(b, m.Cause), '#'), int64(m.Ordinal), 10)
	case Fire, Run:
		b = append(append(b, w.nodes[a.Node].name...), ' ')
	}
	return append(b, w.Activity(a)...)
}

// Activity is the name of the loop that runs, the timer that fires or the fault
// that strikes; empty for a delivery.
func (w *World) Activity(a Action) string {
	switch a.Kind {
	case Fire:
		return w.nodes[a.Node].node.TimerName(Timer(a.Number))
	case Run:
		return w.nodes[a.Node].node.TaskName(Task(a.Number))
	case Inject:
		return w.faults[a.Number].fault.Name()
	}
	return ""
}

// appendCause appends a cause: node, activity and its number.
func (w *World) appendCause(b []byte, c Cause) []byte {
	r := &w.causes[c]
	b = append(append(append(b, w.nodes[r.node].name...), '/'), r.activity...)
	return strconv.AppendInt(append(b, '.'), int64(r.seq), 10)
}

// Pending returns the message that a Deliver action hands over, nil for other
// actions.
func (w *World) Pending(a Action) *Message {
	if a.Kind != Deliver {
		return nil
	}
	return w.lanes[a.Number].peek()
}

// Record is Env.Record for a judge, which looks at the world between steps.
func (w *World) Record(m metric.Metric, value int64) {
	if w.recordsMetrics() {
		w.metrics[m].Record(value)
	}
}

// recordsMetrics: an untimed world has no durations, and a search looks at none.
func (w *World) recordsMetrics() bool { return w.mode == Timed && !w.nameless }

// Metric is what was recorded of a metric so far. It is valid until the world is
// reset.
func (w *World) Metric(m metric.Metric) *metric.Distribution { return &w.metrics[m] }

// A world may keep step with something real: its clock follows a real one, and
// what happens outside comes in between two steps. The driver
// carries out what is due (Enabled, Due, Do), lets the clock catch up
// (AdvanceTo), and hands in what came meanwhile (Admit). Such a run has no
// replay: its choices do not contain what came in, and when.

// Due is when an action of the list that Enabled returned last is to happen. If
// that is over, it is late and happens now.
func (w *World) Due(a Action) Time { return w.slots[a.Slot].due }

// AdvanceTo moves the clock of a timed world forward to t; it never goes back.
// What was due before t is late from then on, so carry it out first.
func (w *World) AdvanceTo(t Time) {
	if w.mode == Timed {
		w.now = max(w.now, t)
	}
}

// Admit is a step of node n that nothing inside the world led to: act takes in
// what came from outside. c answers the choices inside it.
func (w *World) Admit(c Chooser, n NodeID, act func(*Env)) {
	w.chooser = c
	w.step++
	w.act(n, w.nodes[n].root)
	w.own(n)
	act(&w.env)
}

// longList is the length from which on the list of what is enabled is changed by each
// step: about where both ways take the same time.
const longList = 64

// Enabled lists what can happen next. When timed, that is what is due first.
// The list is valid until the next step.
func (w *World) Enabled() []Action {
	if w.mode == Timed {
		w.enabled = w.earliest(w.enabled[:0])
		return w.enabled
	}
	if w.follows {
		w.offerFaults()
		w.follows = len(w.enabled) >= longList
		return w.enabled
	}
	if cap(w.enabled) < len(w.slots) {
		w.enabled = make([]Action, 2*len(w.slots))
	}
	list, n := w.enabled[:cap(w.enabled)], 0
	for i, word := range w.ready {
		for word != 0 {
			s := &w.slots[i<<6|bits.TrailingZeros64(word)]
			word &= word - 1
			if s.action.Kind == Inject && !w.faults[s.action.Number].fault.Ready(w) {
				continue
			}
			list[n] = s.action
			n++
		}
	}
	w.enabled = list[:n]
	w.follows = n >= longList
	return w.enabled
}

func (w *World) earliest(list []Action) []Action {
	var first Time
	for i, word := range w.ready {
		for word != 0 {
			s := &w.slots[i<<6|bits.TrailingZeros64(word)]
			word &= word - 1
			due := max(s.due, w.now)
			if len(list) > 0 && due > first {
				continue
			}
			if s.action.Kind == Inject && !w.faults[s.action.Number].fault.Ready(w) {
				continue
			}
			if due < first {
				list = list[:0]
			}
			first = due
			list = append(list, s.action)
		}
	}
	return list
}

func (w *World) makeReady(id int32, due Time) {
	s := &w.slots[id]
	s.due = due
	s.action.Since = w.step
	w.ready[id>>6] |= 1 << (id & 63)
	if w.follows && s.action.Kind != Inject {
		w.offer(s.action)
	}
}

func (w *World) clearReady(id int32) {
	w.ready[id>>6] &^= 1 << (id & 63)
	if w.follows {
		w.withdraw(id)
	}
}

func (w *World) isReady(id int32) bool { return w.ready[id>>6]&(1<<(id&63)) != 0 }

// offerFaults asks all faults whether they can strike now, which no step tells.
func (w *World) offerFaults() {
	for i := range w.faults {
		f := &w.faults[i]
		if w.isReady(f.slot) && f.fault.Ready(w) {
			w.offer(w.slots[f.slot].action)
		} else {
			w.withdraw(f.slot)
		}
	}
}

// offer puts an action into the list of what is enabled, in place of an older one
// of its slot.
func (w *World) offer(a Action) {
	i := w.place(a.Slot)
	if i == len(w.enabled) || w.enabled[i].Slot != a.Slot {
		w.enabled = slices.Insert(w.enabled, i, a)
		return
	}
	w.enabled[i] = a
}

// withdraw takes the action of a slot off the list, if it is there.
func (w *World) withdraw(slot int32) {
	i := w.place(slot)
	if i < len(w.enabled) && w.enabled[i].Slot == slot {
		w.enabled = slices.Delete(w.enabled, i, i+1)
	}
}

// place is the index of the first enabled action whose slot is not below this one. It is
// written out because slices.BinarySearchFunc makes a step beside 1,000 actions a third slower.
func (w *World) place(slot int32) int {
	low, high := 0, len(w.enabled)
	for low < high {
		middle := int(uint(low+high) >> 1)
		if w.enabled[middle].Slot < slot {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// Armed is which timers of a node are set. It is for judges, and holds until the next
// step. A judge that asks after each step of a node asks for many timers of which few are
// set, so an answer costs no more than a look at a bit.
type Armed struct {
	slots []int32
	ready []uint64
}

// Armed is which timers of a node are set.
func (w *World) Armed(n NodeID) Armed { return Armed{w.nodes[n].timers, w.ready} }

// Has reports whether a timer is set.
func (a Armed) Has(t Timer) bool {
	if int(t) >= len(a.slots) {
		return false
	}
	// A timer that was never set has slot 0, which is never ready.
	s := a.slots[t]
	return a.ready[s>>6]&(1<<(s&63)) != 0
}

// All are the timers that are set.
func (a Armed) All(yield func(Timer) bool) {
	for t := range a.slots {
		if a.Has(Timer(t)) && !yield(Timer(t)) {
			return
		}
	}
}

// Count is how many timers are set.
func (a Armed) Count() int {
	n := 0
	for t := range a.slots {
		if a.Has(Timer(t)) {
			n++
		}
	}
	return n
}

// Kind is what sort of thing an action is.
type Kind uint8

// Deliver the head of a lane, Fire a timer, Run one step of a task, or Inject
// a fault.
const (
	Deliver Kind = iota + 1
	Fire
	Run
	Inject
)

func (k Kind) String() string { return [...]string{"none", "deliver", "fire", "run", "inject"}[k] }

// Action is one thing that can happen next. Slot identifies the lane, timer,
// task or fault for as long as it exists: what a strategy treats as a thread.
// Slot and Since together identify one pending event.
type Action struct {
	Slot int32
	// Since is the step at which the action became possible.
	Since uint32
	// Node is the one whose state changes.
	Node NodeID
	Kind Kind
	// Number is that of the timer or task among those of the node, or that of the lane or fault.
	Number int32
}

// slot is an entry of the world's table of everything that can ever happen.
type slot struct {
	due Time
	// action is what a strategy picks when the entry is ready. It is kept whole,
	// because the list of what is enabled is made of it.
	action Action
	// cause is the one that armed the timer.
	cause Cause
}

// Chooser decides what happens. It is the whole interface between the simulation
// and the package that explores it.
type Chooser interface {
	// Pick returns the index of the enabled action that happens next. enabled
	// is never empty and is valid during the call only.
	Pick(w *World, enabled []Action) int
	// Choose settles what the original leaves open inside a step (a random
	// select, a random subset, jitter, the phase of a ticker). It returns a
	// number in [0, n), n >= 2. what names the question.
	Choose(w *World, n int, what string) int
}
