package etcd

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
)

// disk is that of the raft log. While it stalls, raftNode waits for it in Save: no entry gets into the log, and no
// index of a read comes out of raft. Nothing else stops. The member does not tick either, so that it knows its leader
// as before: its streams stay open, and serializable reads and progress requests are answered from its applied state
// (etcd-io/etcd#13527).
type disk struct {
	state.Cell[disk] `cell:"etcd: disk of the raft log"`

	stalled bool
	// entries wait for it. In time order: until[i] is when the request of entries[i] is out of time.
	entries []entry
	until   []sim.Time
	// turn: linearizableReadLoop waits for an index, until turnUntil.
	turn      bool
	turnUntil sim.Time
}

var (
	coverDiskStalls      = sim.NewCoveragePoint("etcd: disk of a member stalls")
	coverWriteAwaitsDisk = sim.NewCoveragePoint("etcd: write waits for the disk")
	coverReadAwaitsDisk  = sim.NewCoveragePoint("etcd: linearizable reads wait for the disk")
	coverDiskTimeout     = sim.NewCoveragePoint("etcd: request out of time while the disk stalls")
)

// StallDisk is a fault: the disk of a member's raft log takes nothing until a time. It ends as Clog does.
func StallDisk(member sim.NodeID, label string, until sim.Time) sim.Fault {
	return &ordered{
		name: "stalled disk of " + label, nodes: []sim.NodeID{member},
		ready: func(s *Server) bool { return !s.disk.stalled },
		order: order{"stalled disk", func(d sim.Digest) sim.Digest { return d.Text("stalled disk").Int(int64(until)) }, func(s *Server, env *sim.Env) {
			env.Cover(coverDiskStalls)
			diskStalls.Say(env)
			s.disk.Change(env).stalled = true
			env.Arm(diskTimer, max(0, until.Sub(env.Now())))
		}},
	}
}

// StalledDisk reports whether the disk of the member's raft log stalls.
func (s *Server) StalledDisk() bool { return s.disk.stalled }

// requestTimeout is ServerConfig.ReqTimeout: five seconds and two election timeouts.
func (s *Server) requestTimeout() sim.Duration { return 5*time.Second + 2*s.cfg.Elections.Timeout }

// entryAwaitsDisk reports whether an entry has to wait for the disk, and has it wait.
func (s *Server) entryAwaitsDisk(env *sim.Env, e *entry) bool {
	if !s.disk.Look(env).stalled {
		return false
	}
	env.Cover(coverWriteAwaitsDisk)
	d := s.disk.Change(env)
	d.entries = append(d.entries, *e)
	d.until = append(d.until, env.Now()+sim.Time(s.requestTimeout()))
	s.awaitTimeout(env)
	return true
}

// turnAwaitsDisk reports whether the present turn of linearizableReadLoop has to wait for the disk.
func (s *Server) turnAwaitsDisk(env *sim.Env) bool {
	if !s.disk.Look(env).stalled {
		return false
	}
	env.Cover(coverReadAwaitsDisk)
	d := s.disk.Change(env)
	d.turn, d.turnUntil = true, env.Now()+sim.Time(s.requestTimeout())
	s.awaitTimeout(env)
	return true
}

// awaitTimeout arms the timer of what is out of time next.
func (s *Server) awaitTimeout(env *sim.Env) {
	next, waits := s.disk.turnUntil, s.disk.turn
	for i, until := range s.disk.until {
		if s.disk.entries[i].conn != sim.NoConn && (!waits || until < next) {
			next, waits = until, true
		}
	}
	if !waits {
		env.Disarm(requestTimer)
		return
	}
	env.Arm(requestTimer, max(0, next.Sub(env.Now())))
}

// requestsTimeOut answers what is out of time; untimed that is what waits longest. A write is carried out all the same
// when the disk is back.
func (s *Server) requestsTimeOut(env *sim.Env) {
	d := s.disk.Change(env)
	env.Cover(coverDiskTimeout)
	over := func(until sim.Time) bool { return env.Mode() == sim.Untimed || until <= env.Now() }
	for i := range d.entries {
		if e := &d.entries[i]; e.conn != sim.NoConn && over(d.until[i]) {
			env.Under(e.cause)
			s.noteFailure(env, e.payload, errTimeouts[0], ", and will carry it out")
			env.Send(e.conn, errTimeouts[0])
			e.conn = sim.NoConn
		}
	}
	if d.turn && over(d.turnUntil) {
		d.turn = false
		s.failReads(env, errTimeouts[0])
	}
	s.awaitTimeout(env)
}

// diskIsBack lets go on what waited.
func (s *Server) diskIsBack(env *sim.Env) {
	d := s.disk.Change(env)
	diskBack.Say(env)
	entries, turn := d.entries, d.turn
	d.Zero()
	env.Disarm(requestTimer)
	for i := range entries {
		s.append(env, &entries[i])
	}
	if turn {
		s.askForIndex(env)
	}
}

// backendLock is the lock of the backend, as far as Defrag takes it: defrag locks the batch transaction and the read
// transaction from beginning to end, so that no entry is applied and no read begins. Nothing else stops: the raft loop
// sends heartbeats, streams of watches stay open, and a progress request is answered with the revision that the member
// has had since.
//
// A turn of syncWatchersLoop with a watcher that is not synced waits in etcd, too, and holds the lock of the watchable
// store meanwhile. It does not here.
type backendLock struct {
	state.Cell[backendLock] `cell:"etcd: lock of the backend"`

	held bool
	// reads are the places of the reads that wait to begin.
	reads []int32
}

var (
	coverDefragments      = sim.NewCoveragePoint("etcd: member defragments its backend")
	coverApplyWaits       = sim.NewCoveragePoint("etcd: entry waits for a defragmentation")
	coverReadAwaitsDefrag = sim.NewCoveragePoint("etcd: read waits for a defragmentation")
)

// defrag begins a defragmentation.
func (l *backendLock) defrag(env *sim.Env) {
	env.Cover(coverDefragments)
	defragments.Say(env)
	l.Change(env).held = true
}

// release ends it, and returns the places of the reads that waited. They are valid until the next one waits.
func (l *backendLock) release(env *sim.Env) []int32 {
	defragmented.Say(env)
	l.Change(env).held = false
	waited := l.reads
	l.reads = l.reads[:0]
	return waited
}

// holdsUpApply reports whether the next entry has to wait.
func (l *backendLock) holdsUpApply(env *sim.Env) bool {
	if l.Look(env).held {
		env.Cover(coverApplyWaits)
	}
	return l.held
}

// holdsUp reports whether a read has to wait, which then waits.
func (l *backendLock) holdsUp(env *sim.Env, place int32) bool {
	if !l.Look(env).held {
		return false
	}
	env.Cover(coverReadAwaitsDefrag)
	l.Change(env).reads = append(l.reads, place)
	return true
}
