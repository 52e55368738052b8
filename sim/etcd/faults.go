package etcd

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// order is the message by which a fault reaches a server, which carries it out. Nothing waits for the answer.
type order struct {
	label  string
	digest func(sim.Digest) sim.Digest
	do     func(*Server, *sim.Env)
}

// Digest implements sim.Payload.
func (o *order) Digest(d sim.Digest) sim.Digest { return o.digest(d) }

// Label implements sim.Payload.
func (o *order) Label() string { return o.label }

func (o *order) send(env *sim.Env, to sim.NodeID) { env.Close(env.Call(to, o)) }

// Failover is a fault: the member that serves goes away, and all clients connect
// to the next one, which may run another release. The server must have several members.
type Failover struct {
	// Node is the server's.
	Node  sim.NodeID
	Label string
}

// Name implements sim.Fault.
func (f *Failover) Name() string { return "failover " + f.Label }

// Ready implements sim.Fault.
func (*Failover) Ready(*sim.World) bool { return true }

// Strike implements sim.Fault.
func (f *Failover) Strike(env *sim.Env) {
	s := env.Node(f.Node).(*Server)
	env.Cover(coverFailover)
	s.serve(s.members.next())
	restart(env, f.Node, f.Label)
}

// Downgrade is a fault: the cluster goes down, and comes back as an older release.
// A client that asked for the version before knows the old one.
type Downgrade struct {
	// Node is the server's.
	Node  sim.NodeID
	Label string
	To    Member
}

// Name implements sim.Fault.
func (f *Downgrade) Name() string { return "downgrade " + f.Label + " to " + f.To.Version }

// Ready implements sim.Fault.
func (f *Downgrade) Ready(w *sim.World) bool {
	return !w.Node(f.Node).(Node).Simulated().members.downgraded
}

// Strike implements sim.Fault.
func (f *Downgrade) Strike(env *sim.Env) {
	s := env.Node(f.Node).(*Server)
	env.Cover(coverDowngrade)
	s.members.replace(f.To)
	s.serve(s.members.serving)
	restart(env, f.Node, f.Label)
}

func restart(env *sim.Env, n sim.NodeID, label string) {
	(&sim.RestartProcess{Nodes: []sim.NodeID{n}, Label: label}).Strike(env)
}

// InstallSnapshot is a fault: the server installs a snapshot, as a member does
// that fell too far behind its leader. With one member the snapshot holds what
// the store holds already, as one does that was taken after entries that change
// no key; watchers do not see the difference.
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
func (f *InstallSnapshot) Strike(env *sim.Env) { installSnapshot.send(env, f.Node) }

// installSnapshot is raft's MsgSnap.
var installSnapshot = &order{"snapshot", func(d sim.Digest) sim.Digest { return d.Text("snapshot") }, func(s *Server, env *sim.Env) {
	s.detachLost()
	s.store.Restore(env)
	if s.served != nil {
		s.served.Restored(env)
	}
}}

// Clog is a fault: nothing that etcd sends on watch streams gets through, although
// they stay open, as behind a network that drops packets or a receiver that has
// stopped reading (KEP-2340, "What if the watch cache is stale?"). Reads and
// writes are answered.
type Clog struct {
	// Node is the server's.
	Node  sim.NodeID
	Label string
	// From are the clients whose streams are clogged; nil is all.
	From []sim.NodeID
	// Until is when it ends, timed; untimed it ends at any point.
	Until sim.Time
}

// Name implements sim.Fault.
func (f *Clog) Name() string { return "clog " + f.Label }

// Ready implements sim.Fault.
func (f *Clog) Ready(w *sim.World) bool { return !w.Node(f.Node).(Node).Simulated().watch.Clogged() }

// Strike implements sim.Fault.
func (f *Clog) Strike(env *sim.Env) {
	env.Note(clogStrikes{f})
	(&order{"clog",
		func(d sim.Digest) sim.Digest { return digestNodes(d.Text("clog"), f.From).Int(int64(f.Until)) },
		func(s *Server, env *sim.Env) {
			s.watch.Clog(env, f.From)
			env.Arm(unclogTimer, max(0, f.Until.Sub(env.Now())))
		}}).send(env, f.Node)
}

// Defragment is a fault: a member defragments its backend, and meanwhile applies nothing and begins no read (backendLock). Its clients
// see a watch that stays open and says nothing new (kubernetes/kubernetes#138494).
type Defragment struct {
	// Node is the member's.
	Node  sim.NodeID
	Label string
	// Until is when it ends, timed; untimed it ends at any point.
	Until sim.Time
}

// Name implements sim.Fault.
func (f *Defragment) Name() string { return "defragmentation of " + f.Label }

// Ready implements sim.Fault.
func (f *Defragment) Ready(w *sim.World) bool {
	return !w.Node(f.Node).(Node).Simulated().backend.held
}

// Strike implements sim.Fault: the order is Maintenance.Defragment.
func (f *Defragment) Strike(env *sim.Env) {
	(&order{"Defragment",
		func(d sim.Digest) sim.Digest { return d.Text("defragment").Int(int64(f.Until)) },
		func(s *Server, env *sim.Env) {
			s.backend.defrag(env)
			env.Arm(defragmentTimer, max(0, f.Until.Sub(env.Now())))
		}}).send(env, f.Node)
}

// defragmented lets go on what waited.
func (s *Server) defragmented(env *sim.Env) {
	for _, place := range s.backend.release(env) {
		s.release(env, place)
	}
	if s.log.waits() || s.ending.open {
		env.Enable(applyLoop)
	}
}

// EndStream is a fault: the server, or a proxy before it, ends a watch stream of a
// client in order, as if the client had asked for that.
type EndStream struct {
	// Node is the server's.
	Node sim.NodeID
	// From are the nodes that may have opened the streams.
	From  []sim.NodeID
	Label string
}

// Name implements sim.Fault.
func (f *EndStream) Name() string { return "end of stream " + f.Label }

// Ready implements sim.Fault.
func (f *EndStream) Ready(w *sim.World) bool {
	return slices.ContainsFunc(f.From, w.Node(f.Node).(Node).Simulated().watch.Serves)
}

// Strike implements sim.Fault.
func (f *EndStream) Strike(env *sim.Env) {
	(&order{"end of stream",
		func(d sim.Digest) sim.Digest { return digestNodes(d.Text("end of stream"), f.From) },
		func(s *Server, env *sim.Env) { s.watch.EndStreams(env, f.From) }}).send(env, f.Node)
}

// CutOff is a fault: nothing gets from the leader to a follower, or back, for some time. The
// cluster keeps its leader. The follower campaigns when its election timeout has passed; no
// other member hears it, so it knows no leader until the partition ends and a heartbeat comes
// (raft becomePreCandidate). Its clients still reach it. Each strike begins or ends it, as
// one of sim.Partition does.
type CutOff struct {
	// Partition is between the follower, alone on its side, and the leader.
	sim.Partition
}

// Strike implements sim.Fault.
func (f *CutOff) Strike(env *sim.Env) {
	f.Partition.Strike(env)
	begins, label := f.Stands(env), "a heartbeat"
	if begins {
		label = "no heartbeats"
	}
	(&order{label,
		func(d sim.Digest) sim.Digest { return d.Text("cut off").Bool(begins) },
		func(s *Server, env *sim.Env) { s.cutOff(env, begins) }}).send(env, f.One[0])
}

// digestNodes adds the clients that a fault is about.
func digestNodes(d sim.Digest, nodes []sim.NodeID) sim.Digest {
	for _, n := range nodes {
		d = d.Word(uint64(n))
	}
	return d
}
