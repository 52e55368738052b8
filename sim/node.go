package sim

import "strconv"

// Task numbers the loops of a node, Timer its timers. The node picks the
// numbers; small and dense ones keep the world's tables small.
type (
	Task  int
	Timer int
)

// Node is a state machine in the world. Each method is one atomic step: the
// node yields by returning. A node must not keep env.
type Node interface {
	// Start runs once, in the order in which nodes were added, before anything
	// else happens.
	Start(env *Env)
	// Receive takes the message at the head of a lane that leads to the node.
	Receive(env *Env, m *Message)
	// Fire runs when an armed timer goes off. The timer is disarmed by then.
	Fire(env *Env, t Timer)
	// Run lets one of the loops that the node enabled take one step. The task is
	// disabled by then; a loop that has more to do is enabled again.
	Run(env *Env, t Task)
	// TaskName and TimerName name loops and timers for people and for replay;
	// they must not change while the task or timer is pending.
	TaskName(t Task) string
	TimerName(t Timer) string
}

// Idle is a node that does nothing. Others embed it and say only what they do.
type Idle struct{}

func (Idle) Start(*Env)             {}
func (Idle) Receive(*Env, *Message) {}
func (Idle) Fire(*Env, Timer)       {}
func (Idle) Run(*Env, Task)         {}
func (Idle) TaskName(Task) string   { return "task" }
func (Idle) TimerName(Timer) string { return "timer" }

// Drained is an optional capability: a node that sends on bounded lanes is
// called, within the receiver's step, when a lane that was full has room again.
type Drained interface {
	Drained(env *Env, c Conn)
}

// Restarter is an optional capability: a node that survives a crash of its
// process. Restart drops what the process kept in memory and starts again; all
// connections of the node are broken before.
type Restarter interface {
	Restart(env *Env)
}

// Deadlines is an optional capability of a node: some of its timers end the waiting for
// something by giving it up. A search for what never comes leaves them out.
type Deadlines interface {
	IsDeadline(t Timer) bool
}

// Cloner is an optional capability of a node: without it an explorer replays
// from the start instead of branching.
type Cloner interface {
	Clone() Node
}

// Fingerprinter is an optional capability of a node: two nodes with equal
// fingerprints behave the same from here on, up to collisions.
type Fingerprinter interface {
	Fingerprint(d Digest) Digest
}

// Recorder is an optional capability of a node with a fingerprint: it keeps a record for
// judges, on which nothing depends that it does. Behaviour is its fingerprint without the
// record.
type Recorder interface {
	Behaviour(d Digest) Digest
}

// Connected is an optional capability of a node with a fingerprint. A fingerprint leaves out the numbers of
// connections, which depend on the past. Conns visits the connections that the node holds, in the order in which the
// fingerprint says what each is for; NoConn, and one that has ended, may be among them. A node that holds at most one
// connection of a kind to each other node can do without.
type Connected interface {
	Conns(visit func(Conn))
}

// Visible is an optional capability of a node: it shows what it holds, for a page about a run. A page asks between
// steps; nothing in a run does, and campaigns never ask.
type Visible interface {
	// Show calls visit for each part of the state that a reader needs, in an order
	// that never changes. A part that is empty has no entries.
	Show(visit PartVisitor)
}

// PartVisitor takes a part of a node's state by its name, which is upstream's if there is
// one.
type PartVisitor = func(part string, entries ...Entry)

// Entry is one thing that a part of a node's state holds: an object, an event in a
// channel, a watcher in a group, or the value itself if the part is a single one.
type Entry struct {
	Text string
	// First and Last are the revisions of the changes that the entry holds or waits
	// for, for readers that must not go by its text; 0 is none.
	First, Last int64
	// UpTo is the revision up to which the entry says that nothing is missing: a
	// progress notification, or how far a store is. 0 is that it says nothing.
	UpTo int64
}

// Holds reports whether the entry holds the change of a revision, or waits for it.
func (e Entry) Holds(revision int64) bool {
	return revision > 0 && e.First <= revision && revision <= e.Last
}

// Claims reports whether the entry says that the change of a revision is not missing.
func (e Entry) Claims(revision int64) bool { return revision > 0 && revision <= e.UpTo }

// RevisionEntry is the one entry of a part that is a revision up to which nothing is missing.
func RevisionEntry(revision int64) Entry {
	return Entry{Text: strconv.FormatInt(revision, 10), UpTo: revision}
}
