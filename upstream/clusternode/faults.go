package clusternode

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/sim"

	"github.com/watchbed/watchbed/upstream/disk"
)

// Kill ends the process of a member, which loses nothing of its disk, and starts another one after some time. With Power it loses what is not
// durable, or some of it.
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

// NewPause is a fault that has the process of a member get no processor, and one again.
func NewPause(member sim.NodeID, name string) *sim.Signal {
	return signal(member, "pause "+name, (*Node).pause, (*Node).goOn)
}

// NewStarve is a fault that has one goroutine of a member get no processor, and one again.
func NewStarve(member sim.NodeID, name string) *sim.Signal {
	return signal(member, "starve a goroutine of "+name, (*Node).beginStarving, (*Node).endStarving)
}

// NewStall is a fault that has no sync of a disk come to an end, and then again.
func NewStall(member sim.NodeID, name string) *sim.Signal {
	return signal(member, "stall disk of "+name, (*Node).stall, (*Node).unstall)
}

// NewFull is a fault that has a disk be full, and have room again.
func NewFull(member sim.NodeID, name string) *sim.Signal {
	return signal(member, "fill disk of "+name, (*Node).fill, (*Node).makeRoom)
}

// NewIOError is a fault that has the next write to a disk, or the next sync, fail.
func NewIOError(member sim.NodeID, name string) *sim.Signal {
	return signal(member, "I/O error of "+name, (*Node).failIO, (*Node).healIO)
}

// NewClockJump is a fault that has the clock of a member go forward at once, by up to so much.
func NewClockJump(member sim.NodeID, name string, most time.Duration) *sim.Signal {
	return signal(member, "set clock of "+name, func(n *Node, env *sim.Env) { n.setClock(env, most) }, func(*Node, *sim.Env) {})
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

// pause stops the process, or lets it go on.
func (n *Node) pause(env *sim.Env) {
	if n.paused {
		n.goOn(env)
		return
	}
	notePaused.Say(env)
	n.paused = true
	n.disarm(env)
}

// goOn lets the process go on, with what has come meanwhile first.
func (n *Node) goOn(env *sim.Env) {
	if n.paused {
		noteResumed.Say(env)
		env.Arm(timerResume, 0)
	}
}

// resume has the process take what has come while it was paused, and what is due. Its connections are read in any order.
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

// beginStarving has one of the goroutines that can run next get no processor, or ends that.
func (n *Node) beginStarving(env *sim.Env) {
	if n.starves != none {
		n.endStarving(env)
		return
	}
	n.starves = next
}

// endStarving lets the goroutine run.
func (n *Node) endStarving(env *sim.Env) {
	if n.starves == one {
		noteFed.Say(env)
		env.Arm(timerResume, 0)
	}
	n.starves = none
}

// stall has no sync come to its end, or lets them.
func (n *Node) stall(env *sim.Env) {
	if n.disk.Stalled() {
		n.unstall(env)
		return
	}
	noteStalled.Say(env)
	n.disk.Stall(true)
	env.Disarm(timerDisk)
}

func (n *Node) unstall(env *sim.Env) {
	if n.disk.Stalled() {
		noteUnstall.Say(env)
		n.disk.Stall(false)
		if len(n.syncing) > 0 && !n.paused {
			env.Arm(timerDisk, 0)
		}
	}
}

// fill has the disk be full, or have room again.
func (n *Node) fill(env *sim.Env) {
	if n.disk.Full() {
		n.makeRoom(env)
		return
	}
	noteFull.Say(env)
	n.excused = true
	n.disk.Fill(true)
}

func (n *Node) makeRoom(env *sim.Env) {
	if n.disk.Full() {
		noteRoom.Say(env)
		n.disk.Fill(false)
	}
}

// files are parts of the paths of files on which an operation may fail.
var files = []string{"/wal/", "/snap/db", "/snap/"}

func (n *Node) failIO(env *sim.Env) {
	operation, in := disk.Write+disk.Operation(env.Choose(2, "operation that fails")), files[env.Choose(len(files), "file of which an operation fails")]
	noteIOError.Say(env, [...]string{disk.Write: "write to", disk.Sync: "sync of"}[operation], in)
	n.excused = true
	n.disk.Fail(operation, in, 1)
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
