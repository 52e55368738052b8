package etcd

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Server is one etcd server, the only member of its cluster: a node of a
// simulation. What clients send it and are answered is in sim/wire.
type Server struct {
	cfg  Config
	base base
	// members are those of the cluster; serving is the one that this is now.
	members    []member
	serving    int
	downgraded bool

	store store
	// jobs are compactions that still have to delete, the first one being under
	// way.
	jobs []compactionJob

	// The apply path. entries from entry on are committed and not applied yet;
	// compactions counts those among them.
	entries     []entry
	entry       int
	compactions int
	committed   uint64
	applied     uint64
	commits     []Commit
	commitLog   sim.Digest
	// log is all that was committed, for followers, whose streams are in
	// followers; replication is the stream of a follower to its leader.
	log         []sim.Payload
	followers   []sim.Conn
	replication sim.Conn

	// The read path. readNotifier are the places of reads that wait for the next
	// turn of linearizableReadLoop, confirming those of the present turn.
	reads        []read
	readNotifier []int32
	confirming   []int32
	confirmed    uint64
	readCost     readCost

	// The watchable store.
	watchers []watcher
	unsynced int
	lastSync sim.Time
	victims  victims

	streams   []*serverWatchStream
	endpoints []endpoint
	// clogged is the fault that keeps watch streams from getting anything.
	clogged *Clog

	responses  arena[wire.WatchResponse]
	eventArena arena[wire.Event]
	// cloned: a clone shares what the arenas have handed out.
	cloned bool
	// Scratch space of single steps.
	events  []wire.Event
	batches []batch
	chosen  []int32
}

// The loops of the server. Then follow, for each place in streams and reads,
// slotTasks more: those of a stream and that of a read.
const (
	applyLoop sim.Task = iota
	linearizableReadLoop
	syncVictimsLoop
	scheduleCompaction
	firstStreamTask
)

const (
	readTask  = streamTasks
	slotTasks = int(readTask) + 1
)

// The timers of the server. Then follow the streams' progress tickers.
const (
	syncWatchersLoop sim.Timer = iota
	syncVictimsTick
	compactionSleep
	rangeTimer
	unclogTimer
	firstTicker
)

// New returns a server with the contents that cfg names.
func New(cfg Config) *Server {
	s := &Server{}
	s.Reset(cfg)
	return s
}

// Reset makes the server a new one and keeps its memory. What Committed returned
// before, and the messages that the server sent, are overwritten, but for what a
// clone shares.
func (s *Server) Reset(cfg Config) {
	if s.cloned {
		s.responses, s.eventArena, s.store.versions = arena[wire.WatchResponse]{}, arena[wire.Event]{}, arena[version]{}
		s.cloned = false
	} else {
		s.responses.rewind()
		s.eventArena.rewind()
		s.store.versions.rewind()
	}
	if s.base.store.kvindex == nil || !s.base.holds(&cfg) {
		s.base.fill(&cfg)
	}
	s.cfg = cfg
	s.cfg.setDefaults()
	s.resetMembers()
	s.store.reset(&s.base)
	s.jobs = s.jobs[:0]
	s.entries, s.entry, s.compactions, s.committed, s.applied = s.entries[:0], 0, 0, 0, 0
	s.commits, s.commitLog = s.commits[:0], sim.NewDigest
	s.log = s.log[:0]
	s.endpoints = s.endpoints[:0]
	s.forget()
}

// forget drops what a process keeps in memory and no client gets back: streams,
// watchers, and reads that wait.
func (s *Server) forget() {
	s.reads, s.readNotifier, s.confirming, s.confirmed = s.reads[:0], s.readNotifier[:0], s.confirming[:0], 0
	s.watchers, s.unsynced, s.lastSync = s.watchers[:0], 0, 0
	s.victims = victims{waiting: s.victims.waiting[:0], taken: s.victims.taken[:0], left: s.victims.left[:0]}
	s.streams = s.streams[:0]
	s.followers, s.replication = s.followers[:0], sim.NoConn
	s.readCost.reset()
	s.clogged = nil
}

// Start implements sim.Node.
func (s *Server) Start(env *sim.Env) {
	s.follow(env)
	s.startSyncWatchersLoop(env)
}

// Restart implements sim.Restarter: the store, and the writes that were
// committed and not applied yet, are durable. Everything else is gone.
func (s *Server) Restart(env *sim.Env) {
	env.Cover(coverRestart)
	s.forget()
	s.restoreStore(env)
	if s.entry < len(s.entries) {
		env.Cover(coverRestartUnapplied)
		env.Enable(applyLoop)
	}
	s.follow(env)
	s.startSyncWatchersLoop(env)
}

// restoreStore makes the store anew from its backend.
func (s *Server) restoreStore(env *sim.Env) {
	before, keys := s.store.currentRev, s.store.kvindex.Len()
	job := s.store.restore(&s.cfg.Behaviour)
	env.Reads(cellStore, 0)
	if s.store.kvindex.Len() != keys {
		env.Writes(cellStore, 0)
	}
	env.LooksAt(CellRevision, 0)
	if s.store.currentRev != before {
		env.Writes(CellRevision, 0)
	}
	env.LooksAt(cellFinishedCompact, 0)
	env.Writes(cellCompactRev, 0)
	env.Writes(cellJobs, 0)
	if s.store.currentRev < before {
		env.Cover(coverRevisionBack)
	}
	if env.Noting() {
		env.Note(restored{s.store.currentRev, before})
	}
	s.jobs = s.jobs[:0]
	env.Disable(scheduleCompaction)
	env.Disarm(compactionSleep)
	if job != nil {
		env.Cover(coverCompactionResumed)
		s.jobs = append(s.jobs, *job)
		env.Enable(scheduleCompaction)
	}
}

// Receive implements sim.Node.
func (s *Server) Receive(env *sim.Env, m *sim.Message) {
	switch p := m.Payload.(type) {
	case *wire.WatchCreateRequest, *wire.WatchCancelRequest, *wire.WatchProgressRequest:
		sws := s.stream(m.Conn)
		if sws == nil {
			sws = s.openStream(env, m)
		}
		s.receive(env, sws, m.Payload)
	case *sim.Hangup:
		if sws := s.stream(m.Conn); sws != nil {
			s.hangup(env, sws)
		} else {
			s.replicationEnded(env, m.Conn)
		}
	case *appendEntries:
		s.addFollower(env, m.Conn, p)
	case *committedEntry:
		s.appendEntry(env, m, p)
	case *installSnapshot:
		s.restoreSnapshot(env)
		env.Send(m.Conn, p)
	case *clogMessage:
		s.clog(env, p.fault)
		env.Send(m.Conn, p)
	default:
		s.receiveCall(env, m)
	}
}

// Fire implements sim.Node.
func (s *Server) Fire(env *sim.Env, t sim.Timer) {
	switch t {
	case syncWatchersLoop:
		s.runSyncWatchersLoop(env)
	case syncVictimsTick:
		s.victims.state = victimsTake
		s.runSyncVictimsLoop(env)
	case compactionSleep:
		s.runScheduleCompaction(env)
	case rangeTimer:
		s.finishRange(env)
	case unclogTimer:
		s.clog(env, nil)
	default:
		s.fireTicker(env, s.streams[t-firstTicker])
	}
}

// Run implements sim.Node.
func (s *Server) Run(env *sim.Env, t sim.Task) {
	switch t {
	case applyLoop:
		s.runApplyLoop(env)
	case linearizableReadLoop:
		s.runLinearizableReadLoop(env)
	case syncVictimsLoop:
		s.runSyncVictimsLoop(env)
	case scheduleCompaction:
		s.runScheduleCompaction(env)
	default:
		slot := int(t-firstStreamTask) / slotTasks
		k := streamTask(int(t-firstStreamTask) % slotTasks)
		if k == readTask {
			s.runRead(env, int32(slot))
			return
		}
		sws := s.streams[slot]
		switch k {
		case takeWatchStream:
			s.runTakeWatchStream(env, sws)
		case takeCtrlStream:
			s.runTakeCtrlStream(env, sws)
		case takeTicker:
			s.runTakeTicker(env, sws)
		case continueSendLoop:
			s.runSendLoop(env, sws)
		case continueRecvLoop:
			s.runRecvLoop(env, sws)
		}
	}
}

// Drained implements sim.Drained: a blocked Send goes on.
func (s *Server) Drained(env *sim.Env, c sim.Conn) {
	if sws := s.stream(c); sws != nil && sws.send.state == sending {
		env.Enable(sws.task(continueSendLoop))
	}
}

// runScheduleCompaction is one batch of the compaction that is under way.
func (s *Server) runScheduleCompaction(env *sim.Env) {
	rev := s.jobs[0].rev
	env.ReadsItem(cellJobs, 0, rev)
	env.WritesItem(cellJobs, 0, rev)
	done := s.store.compactBatch(&s.jobs[0], s.cfg.CompactionBatchLimit, s.cfg.CompactTombstone)
	s.noteRemoved(env, rev)
	if !done {
		env.Cover(coverCompactionPauses)
		env.Arm(compactionSleep, s.cfg.CompactionSleepInterval)
		return
	}
	env.Writes(cellFinishedCompact, 0)
	s.jobs = slices.Delete(s.jobs, 0, 1)
	if len(s.jobs) > 0 {
		env.Enable(scheduleCompaction)
	}
}

// noteRemoved says what a batch of a compaction took out of the store.
func (s *Server) noteRemoved(env *sim.Env, compactRev int64) {
	env.LooksAt(cellStore, 0)
	for _, v := range s.store.removed {
		env.WritesItem(cellStore, 0, v.kv.ModRevision)
		if v.tombstone && v.kv.ModRevision == compactRev && env.Noting() {
			env.Note(tombstoneRemoved{compactRev})
		}
	}
}

// Revision is the revision of the last write that was applied and changed
// something.
func (s *Server) Revision() int64 { return s.store.currentRev }

// CompactRevision is the revision below which history is gone, 0 if none is.
func (s *Server) CompactRevision() int64 { return max(0, s.store.compactMainRev) }
