package etcd

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// Config is what a Server is made of. Without initial contents the store is empty,
// at revision 1.
type Config struct {
	Options
	// Version is what the server answers to Status: "3.5.13".
	Version string
	// Members are the members of the cluster, of which the first one serves at
	// the start; Version and Options but Reads are ignored then. None is a cluster of one.
	Members []Member
	// Leader is the node that this member follows: it applies what that one has
	// committed, and serves watches and reads. 0 is a server that takes reads and writes
	// itself. Replicated has such a server keep its log for followers.
	Leader     sim.NodeID
	Replicated bool
	// Forgets has the server keep nothing that no client can ask for any more, so that compactions bound its memory:
	// Committed lists nothing. Such a server begins empty, and is never cloned.
	Forgets bool

	// Initial holds the versions of keys that exist at the start, several of one
	// key if it has a history, by ModRevision. InitialRevision is the store's
	// revision, at least the newest of theirs and at least 1; Compacted is the
	// revision below which history is gone, 0 if none is. The Server shares the
	// slice and never changes it.
	Initial         []*wire.KeyValue
	InitialRevision int64
	Compacted       int64
}

// DefaultConfig is a server of the given version ("3.5.13") as it is out of the box,
// with an empty store. It returns an error if OptionsOf does.
func DefaultConfig(version string) (Config, error) {
	o, err := OptionsOf(version)
	if err != nil {
		return Config{}, err
	}
	return Config{Version: version, Options: o, InitialRevision: 1}, nil
}

// Server is one etcd server, the only member of its cluster: a node of a
// simulation. What clients send it and are answered is in sim/wire.
type Server struct {
	cfg Config
	durable
	process
	commits commits
	// txnPath is memory for compareToPath.
	txnPath []bool
	// header is what answers say of the member. It follows from the faults so far.
	header *wire.Header

	store *mvcc.WatchableStore
	watch *v3rpc.WatchServer
	// served are the watches of a program that serves them, nil if there is none.
	served Served
}

// durable is the state of a server beside its store that outlives its process.
type durable struct {
	members members
	log     raftLog
	lessor  lessor
	failed  state.Var[[]sim.Payload] `cell:"etcd: requests that failed"`
	// retries counts the follower's repeated ReadIndex requests in the run, at most ReadOptions.IndexRetries.
	retries state.Var[int] `cell:"etcd: repeated ReadIndex"`
}

// process is what a process keeps in memory beside its streams.
type process struct {
	replication replication
	reads       reads
	removals    state.Var[[]removal] `cell:"etcd: compactions that wait"`
	readCost    readCost
	// backend is what a defragmentation holds up.
	backend  backendLock
	disk     disk
	failures state.Places[failing] `cell:"etcd: kinds of failures"`
	leader   leader
}

// Node is a Server in a world, or a node that serves the watches of one in its place (testbed.Program).
type Node interface {
	sim.Node
	Simulated() *Server
}

func (s *Server) Simulated() *Server { return s }

// New returns a server with the contents that cfg names.
func New(cfg Config) *Server {
	s := &Server{store: &mvcc.WatchableStore{}}
	durables.Name(&s.durable, 0)
	processes.Name(&s.process, 0)
	s.watch = v3rpc.NewWatchServer(s.store, v3rpc.Numbers{Task: firstSlotTask, Stride: slotTasks, Timer: firstTicker})
	s.Reset(cfg)
	return s
}

// Reset makes the server a new one and keeps its memory. What Committed returned
// before, and the messages that the server sent, are overwritten, but for what a
// clone shares.
func (s *Server) Reset(cfg Config) {
	s.cfg = cfg
	s.cfg.Options.setDefaults()
	durables.Clear(&s.durable)
	s.members.reset(&s.cfg)
	o := s.members.options()
	s.store.Reset(o.Store, &mvcc.Contents{Initial: cfg.Initial, Revision: cfg.InitialRevision, Compacted: cfg.Compacted})
	s.watch.Reset(o.Watch)
	s.store.Forgets = cfg.Forgets
	s.header = nil
	s.log.newest = entry{}
	s.commits.reset()
	s.commits.forgets = cfg.Forgets
	s.lessor.Reset(o.Leases)
	s.forget()
}

// serve makes the server behave as one member does.
func (s *Server) serve(i int) {
	s.members.serve(i)
	o := s.members.options()
	s.store.SetOptions(o.Store)
	s.watch.SetOptions(o.Watch)
	s.lessor.SetOptions(o.Leases)
}

// forget drops what a process keeps in memory and no client gets back: reads that
// wait, and connections.
func (s *Server) forget() {
	processes.Clear(&s.process)
	s.log.ending = ending{}
	s.lessor.forget()
}

func (s *Server) Start(env *sim.Env) {
	s.beginTerm(env)
	s.follow(env)
	s.promote(env)
	s.store.Start(env)
}

// Restart implements sim.Restarter: the store, and the writes that were
// committed and not applied yet, are durable. Everything else is gone.
func (s *Server) Restart(env *sim.Env) {
	env.Cover(Restarted)
	cut := s.leader.cut
	s.forget()
	s.watch.Forget()
	s.beginTerm(env)
	s.detachLost()
	s.store.Restart(env)
	if s.members.options().Log.Unapplied == Repeated {
		s.repeat(env)
	}
	if s.log.waits() {
		env.Cover(coverRestartUnapplied)
		if s.members.options().Log.Unapplied == Skipped {
			s.skip(env)
		}
	}
	if s.log.waits() {
		env.Enable(applyLoop)
	}
	s.follow(env)
	s.promote(env)
	s.store.Start(env)
	if cut {
		s.leader.cut = true
		s.campaign(env)
	}
}

func (s *Server) Receive(env *sim.Env, m *sim.Message) {
	switch p := m.Payload.(type) {
	case *wire.WatchCreateRequest, *wire.WatchCancelRequest, *wire.WatchProgressRequest:
		s.watch.Receive(env, m)
	case *sim.Hangup:
		if sws := s.watch.Stream(m.Conn); sws != nil {
			sws.Hangup(env)
		} else {
			s.wakeStream(env, m.Conn)
			s.replicationEnded(env, m.Conn)
		}
	case *appendEntries:
		s.addFollower(env, m.Conn, p)
	case *committedEntry:
		s.entersTerm(p.term)
		s.appendEntry(env, m, p)
	case *readIndex:
		s.answerIndex(env, m.Conn)
	case *readIndexResp:
		s.entersTerm(p.term)
		s.indexAnswered(env, m.Conn, p)
	case *order:
		p.do(s, env)
		env.Send(m.Conn, p)
	default:
		s.receiveCall(env, m)
	}
}

// Drained implements sim.Drained: a blocked Send goes on.
func (s *Server) Drained(env *sim.Env, c sim.Conn) {
	s.watch.Drained(env, c)
	s.wakeStream(env, c)
}

// Revision is the revision of the last write that was applied and changed
// something.
func (s *Server) Revision() int64 { return s.store.CurrentRev() }

// Changes visits the changes of the write of a revision, in order: keys with their new values, and deleted
// keys. No compaction may have removed them yet.
func (s *Server) Changes(rev int64, visit func(kv *wire.KeyValue, deleted bool)) {
	s.store.Changes(rev, visit)
}

// Stored visits the changes that no compaction has removed, in order. sub numbers those of one revision.
func (s *Server) Stored(visit func(kv *wire.KeyValue, sub int32, deleted bool)) {
	s.store.Stored(visit)
}

// VisibleRevision is the same, or the one before it while the write has sent its events and
// its revision is not visible yet to serializable reads (mvcc.Options.VisibleLater).
func (s *Server) VisibleRevision() int64 {
	if s.store.Unpublished() {
		return s.store.CurrentRev() - 1
	}
	return s.store.CurrentRev()
}

// CompactRevision is the revision below which history is gone, 0 if none is.
func (s *Server) CompactRevision() int64 { return s.store.CompactRev() }

// Superseded is how many changes up to a revision a compaction there removes and has not
// removed yet.
func (s *Server) Superseded(rev int64) int { return s.store.Superseded(rev) }

// Committed lists the writes that were applied, in the order of the raft log.
// Refused ones and transactions that only read are not in it. The slice is valid
// until Reset.
func (s *Server) Committed() []Commit { return s.commits.all }

// Applied is the index of the last entry of the raft log that was applied.
func (s *Server) Applied() uint64 { return s.log.applied }

// Waits reports whether an entry is committed and not applied yet. A follower may be ahead
// of the server then.
func (s *Server) Waits() bool { return s.log.waits() }

// Serving is how the member that serves behaves.
func (s *Server) Serving() Options { return *s.members.options() }

// Served are the watches of a program that serves them in place of the server (testbed.Program).
type Served interface {
	v3rpc.Served
	// Restored: the server has installed a snapshot of its own contents.
	Restored(env *sim.Env)
}

// ServedBy has a program serve the watches.
func (s *Server) ServedBy(p Served) {
	s.served = p
	s.watch.ServedBy(p)
}

// HoldsBack reports whether nothing gets through to the watches of a client.
func (s *Server) HoldsBack(env *sim.Env, client sim.NodeID) bool {
	return s.watch.HoldsBack(env, client)
}

// RefusesStream refuses a new stream that requires a leader if there is none, and reports whether it did.
func (s *Server) RefusesStream(env *sim.Env, m *sim.Message) bool { return s.watch.Refuses(env, m) }

// The loops of the server come after those of the store. Then follow, for each
// place of a stream or of a read, slotTasks more: those of a stream and that of a
// read.
const (
	applyLoop = mvcc.Tasks + iota
	linearizableReadLoop
	firstSlotTask
)

const (
	readTask  = v3rpc.Tasks
	slotTasks = v3rpc.Tasks + 1
)

// The timers of the server come after those of the store. Then follow the streams'
// progress tickers.
const (
	rangeTimer = mvcc.Timers + iota
	unclogTimer
	leaderTimer
	leaseTimer
	defragmentTimer
	readIndexTimer
	diskTimer
	requestTimer
	firstTicker
)

// timers are those of the server itself: what they are called, and what follows when they fire. That of a Range is
// called as its handler.
var timers = [firstTicker]struct {
	name string
	fire func(*Server, *sim.Env)
}{
	rangeTimer:      {"", (*Server).finishRange},
	unclogTimer:     {"unclog", func(s *Server, env *sim.Env) { s.watch.Unclog(env) }},
	leaderTimer:     {"leader", (*Server).leaderTimerFires},
	leaseTimer:      {"lessor", (*Server).leaseTimerFires},
	defragmentTimer: {"Defrag ends", (*Server).defragmented},
	readIndexTimer:  {"retry of ReadIndex", (*Server).retryReadIndex},
	diskTimer:       {"disk is back", (*Server).diskIsBack},
	requestTimer:    {"request out of time", (*Server).requestsTimeOut},
}

// slotOf takes the number of a task of a stream or a read apart.
func slotOf(t sim.Task) (place, task int) {
	n := int(t - firstSlotTask)
	return n / slotTasks, n % slotTasks
}

func (s *Server) Run(env *sim.Env, t sim.Task) {
	switch {
	case t < mvcc.Tasks:
		s.store.Run(env, t)
		s.removed(env)
	case t == applyLoop:
		s.runApplyLoop(env)
	case t == linearizableReadLoop:
		s.runLinearizableReadLoop(env)
	default:
		place, task := slotOf(t)
		if task == readTask {
			s.runRead(env, int32(place))
		} else {
			s.watch.Run(env, place, task)
		}
	}
}

func (s *Server) Fire(env *sim.Env, t sim.Timer) {
	switch {
	case t < mvcc.Timers:
		s.store.Fire(env, t)
		s.removed(env)
	case t < firstTicker:
		timers[t].fire(s, env)
	default:
		s.watch.Fire(env, int(t-firstTicker))
	}
}

func (s *Server) TaskName(t sim.Task) string {
	switch {
	case t < mvcc.Tasks:
		return s.store.TaskName(t)
	case t == applyLoop:
		return "applyLoop"
	case t == linearizableReadLoop:
		if s.reads.confirmed != 0 {
			return "linearizableReadLoop notifies"
		}
		return "linearizableReadLoop"
	}
	place, task := slotOf(t)
	if task == readTask {
		return s.reads.at(int32(place)).name()
	}
	return s.watch.TaskName(place, task)
}

func (s *Server) TimerName(t sim.Timer) string {
	switch {
	case t < mvcc.Timers:
		return s.store.TimerName(t)
	case t == rangeTimer:
		return s.reads.at(s.readCost.current).name()
	case t < firstTicker:
		return timers[t].name
	default:
		return s.watch.TimerName(int(t - firstTicker))
	}
}

// name names the handler for people: "Range reader.0".
func (r *read) name() string { return r.handler() + " " + r.client + "." + strconv.Itoa(r.ordinal) }
