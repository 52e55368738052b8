package clusternode

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/sim"

	"github.com/watchbed/watchbed/upstream/disk"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// Kill ends the process of a member, which loses nothing of its disk, and starts another one after some time. With
// Power it loses what is not durable, or some of it.
type Kill struct {
	sim.RestartProcess
	Power bool
	// Upgrade has the next process be of the other release.
	Upgrade bool
}

// NewUpgrade is a fault that stops the process of a member, and starts one of the release that it is upgraded to.
func NewUpgrade(member sim.NodeID, name string) *Kill {
	return &Kill{RestartProcess: sim.RestartProcess{Nodes: []sim.NodeID{member}, Label: name + " with the other release"}, Upgrade: true}
}

// NewKill is such a fault.
func NewKill(member sim.NodeID, name string, power bool) *Kill {
	label := name
	if power {
		label += " without power"
	}
	return &Kill{RestartProcess: sim.RestartProcess{Nodes: []sim.NodeID{member}, Label: label}, Power: power}
}

// Ready implements sim.Fault.
func (f *Kill) Ready(w *sim.World) bool { return w.Node(f.Nodes[0]).(*Node).State != Absent }

// Strike implements sim.Fault.
func (f *Kill) Strike(env *sim.Env) {
	n := env.Node(f.Nodes[0]).(*Node)
	n.power, n.upgraded = f.Power, n.upgraded || f.Upgrade
	f.RestartProcess.Strike(env)
}

// Restore copies the disks of all members at one moment, and the next time has all of them begin again with these
// copies. With Bump it copies one of them, and each begins with what etcdutl snapshot restore --bump-revision
// --mark-compacted makes of its database, as a member of another cluster.
type Restore struct {
	sim.RestartProcess
	Bump uint64
}

// NewRestore is such a fault of these members.
func NewRestore(members []sim.NodeID, bump uint64) *Restore {
	return &Restore{sim.RestartProcess{Nodes: members, Label: "all members from a backup"}, bump}
}

// Strike implements sim.Fault.
func (f *Restore) Strike(env *sim.Env) {
	var members []*Node
	told := int64(0)
	for _, m := range f.Nodes {
		members = append(members, env.Node(m).(*Node))
		told = max(told, env.Node(m).(*Node).told)
	}
	first := members[0]
	if first.backup.disk == nil {
		if f.Bump > 0 {
			from := members[env.Choose(len(members), "member whose database is copied")]
			noteSaved.Say(env, from.cfg.Peers[from.cfg.Self].Name)
			for _, n := range members {
				n.backup = backup{disk: from.disk.Clone()}
			}
			return
		}
		noteCopied.Say(env)
		for _, n := range members {
			n.backup = backup{n.disk.Clone(), told, len(n.Led)}
		}
		return
	}
	if f.Bump > 0 {
		for _, n := range members {
			n.restores, n.bump, n.RestoredAt = true, f.Bump, env.Tick()
		}
		f.RestartProcess.Strike(env)
		return
	}
	if told > first.backup.told {
		env.Cover(coverBack)
	}
	first.Losses = append(first.Losses, Loss{env.Tick(), first.backup.told})
	for _, n := range members {
		n.restores = true
	}
	f.RestartProcess.Strike(env)
}

// NewPause is a fault that has the process of a member get no processor, and one again.
func NewPause(member sim.NodeID, name string) *sim.Signal {
	return lasting(member, "pause "+name, func(n *Node) bool { return n.paused }, (*Node).pause, (*Node).goOn)
}

// NewStarve is a fault that has one goroutine of a member get no processor, and one again.
func NewStarve(member sim.NodeID, name string) *sim.Signal {
	return lasting(member, "starve a goroutine of "+name, func(n *Node) bool { return n.starves != none }, (*Node).beginStarving, (*Node).endStarving)
}

// NewStall is a fault that has no sync of a disk come to an end, and then again.
func NewStall(member sim.NodeID, name string) *sim.Signal {
	return lasting(member, "stall disk of "+name, func(n *Node) bool { return n.disk.Stalled() }, (*Node).stall, (*Node).unstall)
}

// NewStreamCut is a fault that has what another member sends on one of its ways not get through to this one, and then
// again.
func NewStreamCut(member sim.NodeID, name string) *sim.Signal {
	return lasting(member, "cut a stream to "+name, func(n *Node) bool { return n.streamCut.stands }, (*Node).cutStream, (*Node).mendStream)
}

// NewFull is a fault that has a disk be full, and have room again.
func NewFull(member sim.NodeID, name string) *sim.Signal {
	return lasting(member, "fill disk of "+name, func(n *Node) bool { return n.disk.Full() }, (*Node).fill, (*Node).makeRoom)
}

// NewIOError is a fault that has the next write to a disk, or the next sync, fail.
func NewIOError(member sim.NodeID, name string) *sim.Signal {
	return signal(member, "I/O error of "+name, (*Node).failIO, (*Node).healIO)
}

// Flip has a bit of the disk of a member change, a minority of which have such a disk at most. It shows when a process
// reads the file.
type Flip struct {
	sim.Signal
	members []sim.NodeID
}

// NewFlip is such a fault of one of these members.
func NewFlip(member sim.NodeID, name string, members []sim.NodeID) *Flip {
	return &Flip{*signal(member, "change a bit of disk of "+name, (*Node).flip, func(*Node, *sim.Env) {}), members}
}

// Ready implements sim.Fault.
func (f *Flip) Ready(w *sim.World) bool {
	lying := 0
	for _, m := range f.members {
		if m != f.To && w.Node(m).(*Node).Lies {
			lying++
		}
	}
	return lying < (len(f.members)-1)/2
}

// NewClockJump is a fault that has the clock of a member go forward at once, by up to so much.
func NewClockJump(member sim.NodeID, name string, most time.Duration) *sim.Signal {
	return signal(member, "set clock of "+name, func(n *Node, env *sim.Env) { n.setClock(env, most) }, func(*Node, *sim.Env) {})
}

// lasting is a fault that begins where it does not stand, and ends where it does.
func lasting(member sim.NodeID, label string, stands func(*Node) bool, begin, end func(*Node, *sim.Env)) *sim.Signal {
	ends := func(n *Node, env *sim.Env) {
		if stands(n) {
			end(n, env)
		}
	}
	return signal(member, label, func(n *Node, env *sim.Env) {
		if stands(n) {
			end(n, env)
		} else {
			begin(n, env)
		}
	}, ends)
}

func signal(member sim.NodeID, label string, give, end func(*Node, *sim.Env)) *sim.Signal {
	return &sim.Signal{
		To: member, Label: label,
		Give: func(env *sim.Env, n sim.Node) {
			if m := n.(*Node); m.State != Absent {
				give(m, env)
			}
		},
		End: func(env *sim.Env, n sim.Node) { end(n.(*Node), env) },
	}
}

// pause stops the process.
func (n *Node) pause(env *sim.Env) {
	notePaused.Say(env)
	n.paused = true
	n.disarm(env)
}

// goOn lets the process go on, with what has come meanwhile first.
func (n *Node) goOn(env *sim.Env) {
	noteResumed.Say(env)
	env.Arm(timerResume, 0)
}

// resume has the process take what has come while it was paused, and what is due. Its connections are read in any
// order.
func (n *Node) resume(env *sim.Env) {
	held := n.held
	n.paused, n.held = false, nil
	for len(held) > 0 {
		var first []int
		for i := range held {
			if !slices.ContainsFunc(first, func(k int) bool { return held[k].Conn == held[i].Conn && held[k].From == held[i].From }) {
				first = append(first, i)
			}
		}
		next := first[env.Choose(len(first), "connection that is read next")]
		m := held[next]
		held = slices.Delete(held, next, next+1)
		n.Receive(env, &m)
	}
	if n.alive() {
		n.run(env, nil)
	}
}

// beginStarving has one of the goroutines that can run next get no processor.
func (n *Node) beginStarving(*sim.Env) { n.starves = next }

// endStarving lets the goroutine run.
func (n *Node) endStarving(env *sim.Env) {
	if n.starves == one {
		noteFed.Say(env)
		env.Arm(timerResume, 0)
	}
	n.starves = none
}

// stall has no sync come to its end.
func (n *Node) stall(env *sim.Env) {
	noteStalled.Say(env)
	n.disk.Stall(true)
	env.Disarm(timerDisk)
}

func (n *Node) unstall(env *sim.Env) {
	noteUnstall.Say(env)
	n.disk.Stall(false)
	if len(n.syncing) > 0 && !n.paused {
		env.Arm(timerDisk, 0)
	}
}

// streamCut is what does not get through to a member: that which the one at a place sends on one of its ways,
// protocol's lanes and snapshots.
type streamCut struct {
	stands bool
	place  int
	way    byte
	// behind is what waits for the end of it.
	behind []sim.Message
}

// snapshots is the way of snapshots, behind those of protocol.
const snapshots = protocol.LaneAppend + 1

var ways = [...]string{protocol.LaneMessage: "message of raft but MsgApp", protocol.LaneAppend: "MsgApp", snapshots: "snapshot"}

// holds reports whether a message does not get through.
func (c *streamCut) holds(n *Node, m *sim.Message) bool {
	if !c.stands || n.placeOf(m.From) != c.place {
		return false
	}
	switch p := m.Payload.(type) {
	case *Raft:
		return p.Lane == c.way
	case *Snapshot:
		return c.way == snapshots
	}
	return false
}

// cutStream has messages not get through.
func (n *Node) cutStream(env *sim.Env) {
	c := &n.streamCut
	c.stands, c.place = true, env.Choose(len(n.cfg.Peers)-1, "member of which a stream is cut")
	if c.place >= n.cfg.Self {
		c.place++
	}
	c.way = byte(env.Choose(len(ways), "stream that is cut"))
	noteCut.Say(env, ways[c.way], n.cfg.Peers[c.place].Name)
}

func (n *Node) mendStream(env *sim.Env) {
	c := &n.streamCut
	noteMended.Say(env, ways[c.way], n.cfg.Peers[c.place].Name)
	behind := c.behind
	*c = streamCut{}
	if len(behind) > 0 {
		env.Cover(coverBehind)
	}
	for i := range behind {
		n.Receive(env, &behind[i])
	}
}

// fill has the disk be full.
func (n *Node) fill(env *sim.Env) {
	noteFull.Say(env)
	n.excused = true
	n.disk.Fill(true)
}

func (n *Node) makeRoom(env *sim.Env) {
	noteRoom.Say(env)
	n.disk.Fill(false)
}

// files are parts of the paths of files on which an operation may fail.
var files = []string{"/wal/", "/snap/db", "/snap/"}

func (n *Node) failIO(env *sim.Env) {
	operation, in := disk.Write+disk.Operation(env.Choose(2, "operation that fails")), files[env.Choose(len(files), "file of which an operation fails")]
	noteIOError.Say(env, [...]string{disk.Write: "write to", disk.Sync: "sync of"}[operation], in)
	n.excused = true
	n.disk.Fail(operation, in, 1)
}

// flip changes a bit of the disk. Nothing is claimed of what the member tells clients from then on.
func (n *Node) flip(env *sim.Env) {
	if where := n.disk.FlipBit(files[env.Choose(len(files), "file of which a bit changes")], env.Choose); where != "" {
		noteFlipped.Say(env, where)
		n.lie(env)
	}
}

// lie ends the connections of clients, and there are no other ones from then on.
func (n *Node) lie(env *sim.Env) {
	n.Lies, n.excused = true, true
	for _, s := range slices.Clone(n.serves) {
		env.Send(s.conn, refused)
		env.Abort(s.conn)
		if m := n.ended(s.conn); n.alive() && !n.paused {
			n.run(env, m)
		}
	}
}

func (n *Node) healIO(*sim.Env) { n.disk.Repair() }

func (n *Node) setClock(env *sim.Env, most time.Duration) {
	by := drawn(env, most, "how far the clock goes forward")
	noteClock.Say(env, by)
	n.skew += int64(by)
	if n.alive() && !n.paused && n.until != 0 {
		env.Arm(timerNext, max(0, time.Duration(n.until-int64(env.Now())-n.skew)))
	}
}
