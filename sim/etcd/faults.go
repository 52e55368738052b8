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

func (o *order) Digest(d sim.Digest) sim.Digest   { return o.digest(d) }
func (o *order) Label() string                    { return o.label }
func (o *order) send(env *sim.Env, to sim.NodeID) { env.Close(env.Call(to, o)) }

// ordered is a fault that is nothing but an order to servers.
type ordered struct {
	order
	name  string
	nodes []sim.NodeID
	// ready: the order makes a difference to a server; nil is always.
	ready func(*Server) bool
	// note is what is noted beside the order, if anything is.
	note sim.Note
}

func (f *ordered) Name() string { return f.name }

// Ready implements sim.Fault.
func (f *ordered) Ready(w *sim.World) bool {
	return f.ready == nil || f.ready(w.Node(f.nodes[0]).(Node).Simulated())
}

// Strike implements sim.Fault.
func (f *ordered) Strike(env *sim.Env) {
	if f.note != nil {
		env.Note(f.note)
	}
	for _, n := range f.nodes {
		f.send(env, n)
	}
}

// Failover is a fault: the member that serves goes away, and all clients connect
// to the next one, which may run another release. The server must have several members.
type Failover struct {
	// Node is the server's.
	Node  sim.NodeID
	Label string
}

func (f *Failover) Name() string        { return "failover " + f.Label }
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

// RestoreBackup is a fault: etcd loses its data, and begins again from a backup that lacks the last writes (etcdutl
// snapshot restore). Clients, and caches, have seen them.
type RestoreBackup struct {
	// Node is the server's.
	Node  sim.NodeID
	Label string
}

// Restored is what a backup was restored to. It stands among the committed writes: those before it are lost behind
// revision From.
type Restored struct {
	From, Revision int64
	Compacted      bool
	// Tick is the reading of the counter that orders calls.
	Tick int64
}

// Digest implements sim.Payload.
func (r *Restored) Digest(d sim.Digest) sim.Digest {
	return d.Int(r.From).Int(r.Revision).Bool(r.Compacted)
}

// Label implements sim.Payload.
func (r *Restored) Label() string { return "restored backup" }

const (
	// mostLost is how many revisions a backup may lack, bump how much its revision is raised.
	mostLost = 4
	bump     = 1000
)

func (f *RestoreBackup) Name() string { return "restore backup of " + f.Label }

// Ready implements sim.Fault: there is something to lose.
func (f *RestoreBackup) Ready(w *sim.World) bool {
	s := w.Node(f.Node).(Node).Simulated().store
	return s.CurrentRev() > s.OldestBackup()
}

// Strike implements sim.Fault.
func (f *RestoreBackup) Strike(env *sim.Env) {
	s := env.Node(f.Node).(*Server)
	env.Cover(coverRestoredBackup)
	lost := 1 + env.Choose(int(min(mostLost, s.store.CurrentRev()-s.store.OldestBackup())), "revisions that the backup lacks")
	r := &Restored{From: s.store.CurrentRev() - int64(lost), Compacted: s.members.options().Log.BumpsBackup, Tick: env.Tick()}
	r.Revision = r.From
	if r.Compacted {
		r.Revision += bump
	}
	backupRestored.Say(env, r.From, sim.Counted{N: lost, Thing: "revision"})
	s.store.RollBack(env, r.From, r.Revision, r.Compacted)
	s.log.lose(env)
	s.commits.add(s.log.applied, r.Revision, &entry{payload: r})
	restart(env, f.Node, f.Label)
}

func restart(env *sim.Env, n sim.NodeID, label string) {
	(&sim.RestartProcess{Nodes: []sim.NodeID{n}, Label: label}).Strike(env)
}

// InstallSnapshot is a fault: the server installs a snapshot (raft's MsgSnap), as a member does
// that fell too far behind its leader. With one member the snapshot holds what
// the store holds already, as one does that was taken after entries that change
// no key; watchers do not see the difference.
func InstallSnapshot(server sim.NodeID, label string) sim.Fault {
	return &ordered{
		name: "snapshot " + label, nodes: []sim.NodeID{server},
		order: order{"snapshot", func(d sim.Digest) sim.Digest { return d.Text("snapshot") }, func(s *Server, env *sim.Env) {
			s.detachLost()
			s.store.Restore(env)
			if s.served != nil {
				s.served.Restored(env)
			}
		}},
	}
}

// Clog is a fault: nothing that etcd sends on watch streams gets through, although
// they stay open, as behind a network that drops packets or a receiver that has
// stopped reading (KEP-2340, "What if the watch cache is stale?"). Reads and
// writes are answered. It concerns the streams of some clients, or of all if from is nil. It ends at a time; untimed it
// ends at any point.
func Clog(server sim.NodeID, label string, from []sim.NodeID, until sim.Time) sim.Fault {
	return &ordered{
		name: "clog " + label, nodes: []sim.NodeID{server}, note: clogStrikes{server, from, until},
		ready: func(s *Server) bool { return !s.watch.Clogged() },
		order: order{"clog", func(d sim.Digest) sim.Digest { return digestNodes(d.Text("clog"), from).Int(int64(until)) }, func(s *Server, env *sim.Env) {
			s.watch.Clog(env, from)
			env.Arm(unclogTimer, max(0, until.Sub(env.Now())))
		}},
	}
}

// Defragment is a fault: a member defragments its backend (Maintenance.Defragment), and meanwhile applies nothing and
// begins no read (backendLock). Its clients see a watch that stays open and says nothing new
// (kubernetes/kubernetes#138494). It ends as Clog does.
func Defragment(member sim.NodeID, label string, until sim.Time) sim.Fault {
	return &ordered{
		name: "defragmentation of " + label, nodes: []sim.NodeID{member},
		ready: func(s *Server) bool { return !s.backend.held },
		order: order{"Defragment", func(d sim.Digest) sim.Digest { return d.Text("defragment").Int(int64(until)) }, func(s *Server, env *sim.Env) {
			s.backend.defrag(env)
			env.Arm(defragmentTimer, max(0, until.Sub(env.Now())))
		}},
	}
}

// EndStream is a fault: the server, or a proxy before it, ends a watch stream in order, as if the client had asked for
// that. It is a stream of one of the nodes that from lists.
func EndStream(server sim.NodeID, label string, from []sim.NodeID) sim.Fault {
	return &ordered{
		name: "end of stream " + label, nodes: []sim.NodeID{server},
		ready: func(s *Server) bool { return slices.ContainsFunc(from, s.watch.Serves) },
		order: order{"end of stream", func(d sim.Digest) sim.Digest { return digestNodes(d.Text("end of stream"), from) },
			func(s *Server, env *sim.Env) { s.watch.EndStreams(env, from) }},
	}
}

// DenyWatch is a fault: the next watch that one of these nodes asks for is refused, because its user has lost its
// permission (isWatchPermitted). The stream goes on.
func DenyWatch(server sim.NodeID, label string, from []sim.NodeID) sim.Fault {
	return &ordered{
		name: "refusal of a watch of " + label, nodes: []sim.NodeID{server},
		order: order{"no permission to watch", func(d sim.Digest) sim.Digest { return digestNodes(d.Text("no permission"), from) },
			func(s *Server, env *sim.Env) { s.watch.Deny(env, from) }},
	}
}

// defragmented lets go on what waited.
func (s *Server) defragmented(env *sim.Env) {
	for _, place := range s.backend.release(env) {
		s.release(env, place)
	}
	if s.log.waits() || s.log.ending.open {
		env.Enable(applyLoop)
	}
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
