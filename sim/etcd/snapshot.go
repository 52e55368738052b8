package etcd

import "github.com/watchbed/watchbed/sim"

// InstallSnapshot is a fault: the server installs a snapshot, as a member does
// that fell too far behind its leader. With one member the snapshot holds what
// the store holds already, as one does that was taken after entries that change
// no key; watchers cannot tell the difference.
type InstallSnapshot struct {
	// Node is the server's.
	Node  sim.NodeID
	Label string
}

// Name implements sim.Fault.
func (f *InstallSnapshot) Name() string { return "snapshot " + f.Label }

// Ready implements sim.Fault.
func (f *InstallSnapshot) Ready(*sim.World) bool { return true }

// Strike implements sim.Fault.
func (f *InstallSnapshot) Strike(env *sim.Env) {
	// Nobody waits for the answer.
	env.Close(env.Call(f.Node, snapshotMessage))
}

// installSnapshot is raft's MsgSnap.
type installSnapshot struct{}

var snapshotMessage = &installSnapshot{}

// Digest implements sim.Payload.
func (*installSnapshot) Digest(d sim.Digest) sim.Digest { return d.Text("snapshot") }

// Label implements sim.Payload.
func (*installSnapshot) Label() string { return "snapshot" }
