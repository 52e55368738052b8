package etcd

import (
	"slices"
	"strconv"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
)

// A follower is a member that serves watches and reads from its own store, which lags
// behind: it applies a committed entry when the leader's message arrives, and a
// client that watches, or that reads serializably, does not see how far it lags. Before
// a linearizable read it asks the leader what is committed (ReadIndex). A watch has no
// such step: its events, and its progress, are of the member's own store. Writes are
// the leader's here; a real follower would forward them.

// appendEntries opens a follower's stream: it wants the log from an entry on.
type appendEntries struct {
	next uint64
}

func (a *appendEntries) Digest(d sim.Digest) sim.Digest { return d.Text("append").Word(a.next) }

func (a *appendEntries) Label() string { return "append entries" }

// committedEntry is one entry of the log on its way to a follower.
type committedEntry struct {
	request sim.Payload
	// term is that of the leader, and follows from the faults so far.
	term int64
}

func (c *committedEntry) Digest(d sim.Digest) sim.Digest { return c.request.Digest(d.Text("entry")) }

func (c *committedEntry) Label() string { return "entry " + c.request.Label() }

// readIndex is raft's MsgReadIndex: a follower asks what is committed.
type readIndex struct{}

func (*readIndex) Digest(d sim.Digest) sim.Digest { return d.Text("read index?") }

func (*readIndex) Label() string { return "read index" }

var readIndexMessage = &readIndex{}

// readIndexResp is raft's MsgReadIndexResp.
type readIndexResp struct {
	index uint64
	// term is that of the leader, and follows from the faults so far.
	term int64
}

func (r *readIndexResp) Digest(d sim.Digest) sim.Digest { return d.Text("read index").Word(r.index) }

func (r *readIndexResp) Label() string { return "read index " + strconv.FormatUint(r.index, 10) }

// replication is the streams between the members.
type replication struct {
	state.Cell[replication] `cell:"etcd: followers"`

	// indexAsked are the followers' questions that wait for a leader to be there.
	indexAsked []sim.Conn
	// followers are the streams of a leader, leader that of a follower.
	followers []sim.Conn
	leader    sim.Conn
}

// follow asks the leader for what comes after the entries that are here.
func (s *Server) follow(env *sim.Env) {
	if s.cfg.Leader == 0 {
		return
	}
	r := s.replication.Change(env)
	r.leader = env.Open(s.cfg.Leader)
	env.Send(r.leader, &appendEntries{s.log.committedEntries.Look(env).committed})
}

// addFollower sends a follower the entries that it has missed, and from now on every entry.
func (s *Server) addFollower(env *sim.Env, conn sim.Conn, a *appendEntries) {
	r := s.replication.Change(env)
	r.followers = append(r.followers, conn)
	for _, request := range s.log.committedEntries.Look(env).all[a.next:] {
		env.Send(conn, &committedEntry{request, s.header.RaftTerm})
	}
}

// replicate sends an entry that was committed to the followers.
func (s *Server) replicate(env *sim.Env, request sim.Payload) {
	s.log.all = append(s.log.all, request)
	for _, conn := range s.replication.Look(env).followers {
		env.Send(conn, &committedEntry{request, s.header.RaftTerm})
	}
}

// appendEntry takes an entry from the leader. It is no proposal, which would wait while
// there is no leader: the entry is committed.
func (s *Server) appendEntry(env *sim.Env, m *sim.Message, c *committedEntry) {
	env.Cover(coverFollows)
	s.append(env, &entry{c.request, sim.NoConn, m.Cause, m.From})
}

// askIndex asks the leader for the index that the present turn of linearizableReadLoop
// waits for.
func (s *Server) askIndex(env *sim.Env) {
	env.Cover(coverReadIndex)
	s.reads.asking = env.Call(s.cfg.Leader, readIndexMessage)
	if *s.retries.Look(env) < s.members.options().Reads.IndexRetries {
		env.Arm(readIndexTimer, readIndexRetryTime)
	}
}

// readIndexRetryTime is how long the loop waits for an index until it asks again.
const readIndexRetryTime = 500 * time.Millisecond

// retryReadIndex: the answer has not come, and linearizableReadLoop asks again. Either answer is good for the
// present turn.
func (s *Server) retryReadIndex(env *sim.Env) {
	t := s.reads.Change(env)
	if t.asking == sim.NoConn || t.repeated != sim.NoConn {
		return
	}
	env.Cover(coverReadIndexAgain)
	*s.retries.Change(env)++
	t.repeated, t.repeatedLate = env.Call(s.cfg.Leader, readIndexMessage), false
}

// answerIndex tells a follower what is committed, when there is a leader.
func (s *Server) answerIndex(env *sim.Env, conn sim.Conn) {
	if s.leader.Look(env).is != leads {
		s.leader.Change(env)
		s.replication.indexAsked = append(s.replication.indexAsked, conn)
		return
	}
	env.Send(conn, &readIndexResp{s.log.committedEntries.Look(env).committed, s.header.RaftTerm})
}

// answerIndices answers what was asked while there was no leader.
func (s *Server) answerIndices(env *sim.Env) {
	for _, conn := range s.replication.indexAsked {
		s.answerIndex(env, conn)
	}
	s.replication.indexAsked = s.replication.indexAsked[:0]
}

// indexAnswered goes on with the turn of linearizableReadLoop that has asked. What was asked twice is answered
// twice, and the second answer may come in a later turn.
func (s *Server) indexAnswered(env *sim.Env, conn sim.Conn, r *readIndexResp) {
	t := s.reads.Change(env)
	s.log.appliedIndex.Look(env)
	if conn == t.repeated {
		late := t.repeatedLate
		t.repeated, t.repeatedLate = sim.NoConn, false
		switch {
		case t.asking == sim.NoConn, late && !s.members.options().Reads.ReusesIndexIDs:
			env.Cover(coverReadIndexIgnored)
			return
		case late:
			env.Cover(coverReadIndexReused)
			oldIndexTaken.Say(env, r.index)
		}
		// The answer to the other question is the second one now.
		t.repeated = t.asking
	}
	t.asking, t.repeatedLate = sim.NoConn, t.repeated != sim.NoConn
	env.Disarm(readIndexTimer)
	s.confirm(env, r.index)
}

// replicationEnded: a leader that restarts, or a follower, lost a connection.
func (s *Server) replicationEnded(env *sim.Env, conn sim.Conn) {
	switch conn {
	case s.replication.leader:
		s.follow(env)
		return
	case s.reads.asking:
		s.reads.Change(env)
		s.askIndex(env)
		return
	case s.reads.repeated:
		t := s.reads.Change(env)
		t.repeated, t.repeatedLate = sim.NoConn, false
		return
	}
	r := s.replication.Change(env)
	if i := slices.Index(r.followers, conn); i >= 0 {
		r.followers = slices.Delete(r.followers, i, i+1)
	}
}
