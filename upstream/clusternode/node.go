package clusternode

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/disk"
	"github.com/watchbed/watchbed/upstream/engine"
	"github.com/watchbed/watchbed/upstream/node"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// Config is what a member is told, and what the world decides of it.
type Config struct {
	// Peers are the machines of the world, this one at the place Self. The first ones are the initial cluster, so many
	// as Initial says. The others have no process until they are told to Join.
	Peers         []Peer
	Self, Initial int
	// Member is how the server is started. Name and Peers are those of Peers.
	Member protocol.Member
	// Log is told what the members apply, nil if nothing asks for that.
	Log *Log
	// Disk is how the file system of the machine loses what is not durable.
	Disk disk.Options

	Choices
}

// Peer is a member as the others know it.
type Peer struct {
	Node sim.NodeID
	Name string
}

// Choices are families of choices that are made in a member. What is not chosen is as a plain machine has it.
type Choices struct {
	// Goroutines: any goroutine that can run may do so next. Otherwise they run in turn.
	Goroutines bool `json:"goroutines"`
	// Locks: goroutines may give way where they take a lock.
	Locks bool `json:"locks"`
	// Late: goroutines may be late, by up to LateFor.
	Late    bool          `json:"late"`
	LateFor time.Duration `json:"lateFor"`
	// Sync is how long a sync of a file takes at most.
	Sync time.Duration `json:"sync"`
	// Down is how long a process that has ended stays away at most.
	Down time.Duration `json:"down"`
}

// Node is a member of a cluster.
type Node struct {
	cfg   *Config
	guest *engine.Guest
	disk  *disk.Disk
	// first is the guest of the release with which the member begins, other the one that it is upgraded to, nil if it
	// is not.
	first, other *engine.Guest

	// State is what became of the process.
	State State
	// Why is why it has stopped by itself.
	Why string
	// Version is the release that it says to be of, ID its raft id, 0 before it runs.
	Version string
	ID      uint64
	// joins is how it joins a cluster that there is, nil if it is a member of the initial one.
	joins *Join
	// known are the members that the process knows, or has heard of, in the order of that.
	known []known
	// Starts counts the processes that there were.
	Starts int

	// Full counts the writes that it has refused as its database has no space.
	Full int
	// Led are the terms in which it has been the leader.
	Led []uint64
	// Rejected counts the appends of a leader that it has rejected.
	Rejected int

	// told is the newest revision that a client was told. Losses are those of the cluster that this member knows of.
	told   int64
	Losses []Loss
	// backup is a copy of the disk, which the next process begins with if it restores.
	backup   backup
	restores bool
	// bump is by how much the revision is higher then, 0 if it is not. RestoredAt is the tick of that, Restored what
	// the member has when it begins, nil before.
	bump       uint64
	RestoredAt int64
	Restored   *wire.RangeResponse
	// asks: the process is asked next for what it has.
	asks bool
	// struck: the machine had its part of a disaster. lost: the next end of the process is that of the machine. forces:
	// the next process is to be a cluster by itself, until one has joined.
	struck, lost, forces bool

	// power: the next end of the process takes the power as well. upgraded: the next process is of the other release.
	// wiped: the disk is a new one. ends: the process ends by itself, and no other one comes.
	power, upgraded, wiped, ends bool
	// Lies: a bit of the disk has changed, or the database came from such a disk.
	Lies bool
	// excused: the disk has done to this process what may end it.
	excused bool
	// paused: the process gets no processor. held is what has come meanwhile.
	paused bool
	held   []sim.Message
	// starved is the goroutine that gets no processor, as starves says.
	starves   starvation
	starved   engine.Goroutine
	streamCut streamCut
	// alone: no message of another member gets through, and behind is what waits. clogged are clients to whose watch
	// streams nothing gets through. defragments: what calls sync takes long. All that ends at calmAt. Gone: the
	// machine is lost.
	alone, defragments, Gone bool
	behind                   []sim.Message
	clogged                  []sim.NodeID
	calmAt                   sim.Time
	// term is the newest of a leader, heard when it was heard last.
	term  uint64
	heard sim.Time
	// skew is how far the clock of the member is ahead of that of the world. clock is the time of the last step, until
	// that of the next timer, 0 if there is none.
	skew, clock, until int64

	// lanes are the streams to the other members, by their places and protocol's lanes.
	lanes []lane
	// calls are those that the guest waits for, snapshots among them, serves the streams and calls of clients and other
	// members.
	calls  []call
	serves []served
	// versions are calls of clients that want to know the version alone.
	versions []sim.Conn

	// syncing are the goroutines that wait for the disk, synced those that the disk is done for.
	syncing, synced []engine.Goroutine
	// random counts the random numbers that are no choice, which follow from seed.
	seed, random uint64

	// The rest is that of the step under way.
	node.Step
	out     protocol.Writer
	pausing node.Pause
	// waits: goroutines that could run are late. able are those that may run, at their places.
	waits  bool
	places []int
	able   []engine.Goroutine
}

// Loss is the tick at which members were restarted with less than what there was before, and the newest revision that
// is still there.
type Loss struct{ Tick, Told int64 }

// backup is a copy of a disk, nil if there is none, with the newest revision that clients had been told, and how many
// terms the member had led in.
type backup struct {
	disk *disk.Disk
	told int64
	led  int
}

// State is what became of the process of a member.
type State uint8

// States.
const (
	// Down: there is no process, and there will be one.
	Down State = iota
	// Starting: it does not serve yet.
	Starting
	// Joining: it serves, and has not joined the cluster.
	Joining
	// Running: it has joined.
	Running
	// Stopped: it has ended by itself.
	Stopped
	// Absent: there was none.
	Absent
)

// starvation is whether a goroutine gets no processor: none, one of the next that can run, or the one that was chosen.
type starvation uint8

const (
	none starvation = iota
	next
	one
)

// known is a member by its raft id, and the place where it is.
type known struct {
	id    uint64
	place int
}

// lane is a stream to another member. broken: the guest knows that it is.
type lane struct {
	conn   sim.Conn
	broken bool
}

// call is one that the guest has begun: its number there and in the world.
type call struct {
	number   uint32
	conn     sim.Conn
	snapshot bool
}

// served is a stream or a call that the member serves: which client has begun it, and with what.
type served struct {
	conn    sim.Conn
	from    sim.NodeID
	request sim.Payload
}

// serving is the place of a connection among those that the member serves, -1 if it is none.
func (n *Node) serving(c sim.Conn) int {
	return slices.IndexFunc(n.serves, func(s served) bool { return s.conn == c })
}

var (
	_ sim.Node      = (*Node)(nil)
	_ sim.Restarter = (*Node)(nil)
	_ sim.Drained   = (*Node)(nil)
)

// New returns a member whose machine has an empty disk. Its first process starts with the world. other is the guest
// that it may be upgraded to, or nil.
func New(cfg *Config, g, other *engine.Guest) *Node {
	n := &Node{cfg: cfg, first: g, other: other}
	n.Reset()
	return n
}

// Reset makes the member a new one for another run.
func (n *Node) Reset() {
	n.first.Reset()
	if n.other != nil {
		n.other.Reset()
	}
	*n = Node{
		cfg: n.cfg, guest: n.first, first: n.first, other: n.other, disk: disk.New(n.cfg.Disk), lanes: make([]lane, 2*len(n.cfg.Peers)),
		known: n.known[:0], Led: n.Led[:0], calls: n.calls[:0], serves: n.serves[:0], versions: n.versions[:0], syncing: n.syncing[:0], synced: n.synced[:0], out: n.out, places: n.places, able: n.able,
	}
	if n.cfg.Self >= n.cfg.Initial {
		n.State = Absent
	}
}

// Become makes the member, for another run, one whose process has run in another world. All that it had open is gone,
// as if its connections had broken without its knowledge, and its time goes on where it was.
func (n *Node) Become(other *Node) {
	n.Reset()
	n.guest.Become(other.guest)
	n.disk = other.disk.Clone()
	n.State, n.Version, n.ID, n.Starts = other.State, other.Version, other.ID, other.Starts
	n.joins, n.known = other.joins, append(n.known, other.known...)
	n.Led, n.seed, n.random = append(n.Led, other.Led...), other.seed, other.random
	n.skew, n.clock, n.until = other.clock, other.clock, other.until
}

// AtRest reports whether the member has joined, and waits for nothing that others owe it, or whether there is none.
func (n *Node) AtRest() bool {
	return n.State == Absent || n.State == Running && len(n.calls)+len(n.serves)+len(n.syncing) == 0 && !n.waits
}
