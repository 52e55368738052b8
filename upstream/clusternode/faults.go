package clusternode

import "github.com/watchbed/watchbed/sim"

// Kill ends the process of a member, which loses nothing of its disk, and starts another one after some time. With Power it loses what is not
// durable, or some of it.
type Kill struct {
	sim.RestartProcess
	Power bool
}

// NewKill is such a fault.
func NewKill(member sim.NodeID, name string, power bool) *Kill {
	label := name
	if power {
		label += " without power"
	}
	return &Kill{sim.RestartProcess{Nodes: []sim.NodeID{member}, Label: label}, power}
}

// Strike implements sim.Fault.
func (f *Kill) Strike(env *sim.Env) {
	env.Node(f.Nodes[0]).(*Node).power = f.Power
	f.RestartProcess.Strike(env)
}

// NewPause is a fault that has the process of a member get no processor, and one again.
func NewPause(member sim.NodeID, name string) *sim.Signal {
	return signal(member, "pause "+name, (*Node).pause, (*Node).goOn)
}

// NewStall is a fault that has no sync of a disk come to an end, and then again.
func NewStall(member sim.NodeID, name string) *sim.Signal {
	return signal(member, "stall disk of "+name, (*Node).stall, (*Node).unstall)
}

func signal(member sim.NodeID, label string, give, end func(*Node, *sim.Env)) *sim.Signal {
	return &sim.Signal{
		To: member, Label: label,
		Give: func(env *sim.Env, n sim.Node) { give(n.(*Node), env) }, End: func(env *sim.Env, n sim.Node) { end(n.(*Node), env) },
	}
}

// pause stops the process, or lets it go on.
func (n *Node) pause(env *sim.Env) {
	if n.paused {
		n.goOn(env)
		return
	}
	env.Cover(coverPaused)
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

// resume has the process take what has come while it was paused, and what is due.
func (n *Node) resume(env *sim.Env) {
	held := n.held
	n.paused, n.held = false, nil
	for i := range held {
		n.Receive(env, &held[i])
	}
	if n.alive() {
		n.run(env, nil)
	}
}

// stall has no sync come to its end, or lets them.
func (n *Node) stall(env *sim.Env) {
	if n.disk.Stalled() {
		n.unstall(env)
		return
	}
	env.Cover(coverStalled)
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
