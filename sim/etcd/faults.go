package etcd

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
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

func (f *ordered) Ready(w *sim.World) bool {
	return f.ready == nil || f.ready(w.Node(f.nodes[0]).(Node).Simulated())
}

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

func (f *Downgrade) Ready(w *sim.World) bool {
	return !w.Node(f.Node).(Node).Simulated().members.downgraded
}

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

func (r *Restored) Digest(d sim.Digest) sim.Digest {
	return d.Int(r.From).Int(r.Revision).Bool(r.Compacted)
}

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

// Failure is an error with which etcd answers a request that nothing is wrong with.
type Failure uint8

const (
	// TimesOut: raft does not get through with the next write, or the next turn of
	// linearizableReadLoop, in time. The write may be carried out all the same
	// (parseProposeCtxErr, requestCurrentIndex).
	TimesOut Failure = iota
	// LeaderChanges: the cluster has another leader while linearizableReadLoop waits
	// for the index of its next turn. All reads of the turn fail
	// (leaderChangedNotifier); writes are not concerned.
	LeaderChanges
	// Overloads: more than maxGapBetweenApplyAndCommitIndex entries are committed and
	// not applied, when the next write comes. It is refused.
	Overloads
	failureKinds
)

var failureNames = [failureKinds]string{"timeout", "leader change", "overload"}

// Fail is a fault: etcd answers the next request that this can happen to with an
// error.
func Fail(server sim.NodeID, label string, with Failure) sim.Fault {
	return &ordered{
		name: failureNames[with] + " of " + label, nodes: []sim.NodeID{server},
		order: order{failureNames[with], func(d sim.Digest) sim.Digest { return d.Text("fail").Word(uint64(with)) },
			func(s *Server, env *sim.Env) {
				if with == LeaderChanges {
					s.win()
				}
				s.failNext(env, with)
			}},
	}
}

// failing is how many errors of a kind are still to be answered.
type failing struct {
	due state.Var[uint8] `cell:"etcd: failures"`
}

func (f *failing) Free() bool { return *f.due.Value() == 0 }

func (s *Server) failuresDue(f Failure) *state.Var[uint8] {
	return &s.failures.Reach(int(f), func(int) failing { return failing{} }).due
}

// Failed lists the requests that were answered with an error although nothing is wrong
// with them, in that order. The slice is valid until Reset.
func (s *Server) Failed() []sim.Payload { return *s.failed.Value() }

// isDue takes one of the errors, if there is one. The request that asks is answered
// with it.
func (s *Server) isDue(env *sim.Env, f Failure) bool {
	due := s.failuresDue(f)
	if *due.Look(env) == 0 {
		return false
	}
	*due.Change(env)--
	return true
}

// failNext has the next request answered with an error.
func (s *Server) failNext(env *sim.Env, f Failure) { *s.failuresDue(f).Change(env)++ }

// ForgetFailures has no error answered that is still to be.
func (s *Server) ForgetFailures() { s.failures.Reset() }

// refuseWrite answers a write with an error, if one is due or if the write is too large
// (processInternalRaftRequestOnce, which looks for too many requests first). It returns
// true if the write does not get into the log. An entry that gets into the log in spite of its
// error has no connection.
func (s *Server) refuseWrite(env *sim.Env, e *entry) bool {
	if s.refuseOverload(env, e.conn, e.payload) {
		return true
	}
	if v3rpc.ProposalSize(e.payload) > s.members.options().Write.MaxRequestBytes {
		env.Cover(coverTooLarge)
		failed.Say(env, write{e.payload}, v3rpc.ErrTooLarge.Message, "")
		env.Send(e.conn, v3rpc.ErrTooLarge)
		return true
	}
	if !s.isDue(env, TimesOut) {
		return false
	}
	err := timeout(env)
	env.Send(e.conn, err)
	e.conn = sim.NoConn
	if env.Choose(2, "fate of a write that times out") == 1 {
		env.Cover(coverWriteLost)
		s.noteFailure(env, e.payload, err, ", and will never carry it out")
		return true
	}
	env.Cover(coverWriteLate)
	s.noteFailure(env, e.payload, err, ", and will carry it out")
	return false
}

// refuseOverload answers a write if too many are not applied (exceedsRequestLimit). A revocation of the lessor has no
// connection.
func (s *Server) refuseOverload(env *sim.Env, conn sim.Conn, write sim.Payload) bool {
	if _, revokes := write.(*wire.LeaseRevokeRequest); revokes && s.members.options().Leases.RevokesFirst || !s.isDue(env, Overloads) {
		return false
	}
	env.Cover(coverTooManyRequests)
	s.noteFailure(env, write, errTooManyRequests, "")
	if conn != sim.NoConn {
		env.Send(conn, errTooManyRequests)
	}
	return true
}

// noteFailure records that a request is answered with an error that nothing in it is the
// reason of.
func (s *Server) noteFailure(env *sim.Env, request sim.Payload, err *wire.Error, fate string) {
	all := s.failed.Change(env)
	*all = append(*all, request)
	failed.Say(env, write{request}, err.Message, fate)
}

// timeout is the error of a request that was not answered in time. It says what
// may be the reason.
func timeout(env *sim.Env) *wire.Error {
	return errTimeouts[env.Choose(len(errTimeouts), "reason of a timeout")]
}

// readFailure is the error of all reads of the present turn of linearizableReadLoop,
// nil if there is none.
func (s *Server) readFailure(env *sim.Env) *wire.Error {
	switch {
	case s.isDue(env, LeaderChanges):
		env.Cover(coverLeaderChanged)
		return errLeaderChanged
	case s.isDue(env, TimesOut):
		env.Cover(coverReadTimesOut)
		return timeout(env)
	}
	return nil
}

// failReads answers the reads of the present turn of linearizableReadLoop.
func (s *Server) failReads(env *sim.Env, err *wire.Error) {
	t := s.reads.Change(env)
	for _, place := range t.confirming {
		r := s.reads.take(env, place)
		s.noteFailure(env, r.payload, err, "")
		env.Under(r.cause)
		r.refuse(env, err)
	}
	t.confirming = t.confirming[:0]
	if len(t.readNotifier) > 0 {
		s.wakeReadLoop(env)
	}
}

// The errors, as rpctypes has them. The outcome of a write that gets one with the
// code Unavailable is not known.
var (
	errTimeouts = [...]*wire.Error{
		{Code: wire.Unavailable, Message: "etcdserver: request timed out"},
		{Code: wire.Unavailable, Message: "etcdserver: request timed out, possibly due to connection lost"},
		{Code: wire.Unavailable, Message: "etcdserver: request timed out, possibly due to previous leader failure"},
	}
	errLeaderChanged   = &wire.Error{Code: wire.Unavailable, Message: "etcdserver: leader changed"}
	errTooManyRequests = &wire.Error{Code: wire.TooManyRequests, Message: "etcdserver: too many requests"}
)
