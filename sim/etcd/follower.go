package etcd

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// A follower is a member that serves watches from its own store, which lags
// behind: it applies a committed entry when the leader's message arrives, and a
// client that watches does not see how far it lags. Reads and writes are the
// leader's here; a real follower would forward writes, and ask the leader for its
// commit index before a linearizable read (ReadIndex). A watch has no such step:
// its events, and its progress, are of the member's own store.

// appendEntries opens a follower's stream: it wants the log from an entry on.
type appendEntries struct {
	next uint64
}

func (a *appendEntries) Digest(d sim.Digest) sim.Digest { return d.Text("append").Word(a.next) }

func (a *appendEntries) Label() string { return "append entries" }

// committedEntry is one entry of the log on its way to a follower.
type committedEntry struct {
	request sim.Payload
}

func (c *committedEntry) Digest(d sim.Digest) sim.Digest { return c.request.Digest(d.Text("entry")) }

func (c *committedEntry) Label() string { return "entry " + c.request.Label() }

// replication is the log that followers read, and the streams between the members.
type replication struct {
	// log is all that was committed, if there are followers.
	log []sim.Payload
	// followers are the streams of a leader, leader that of a follower.
	followers []sim.Conn
	leader    sim.Conn
}

func (r *replication) reset() { r.log = r.log[:0] }

// disconnect forgets all streams: the process has crashed.
func (r *replication) disconnect() { r.followers, r.leader = r.followers[:0], sim.NoConn }

// follow asks the leader for what comes after the entries that are here.
func (s *Server) follow(env *sim.Env) {
	if s.cfg.Leader == 0 {
		return
	}
	env.Writes(cellFollowers, 0)
	env.LooksAt(cellRaftLog, 0)
	s.replication.leader = env.Open(s.cfg.Leader)
	env.Send(s.replication.leader, &appendEntries{s.log.committed})
}

// addFollower sends a follower what it has missed, and from now on every entry.
func (s *Server) addFollower(env *sim.Env, conn sim.Conn, a *appendEntries) {
	r := &s.replication
	env.Writes(cellFollowers, 0)
	env.LooksAt(cellRaftLog, 0)
	r.followers = append(r.followers, conn)
	for _, request := range r.log[a.next:] {
		env.Send(conn, &committedEntry{request})
	}
}

// replicate sends an entry that was committed to the followers.
func (s *Server) replicate(env *sim.Env, request sim.Payload) {
	r := &s.replication
	env.LooksAt(cellFollowers, 0)
	r.log = append(r.log, request)
	for _, conn := range r.followers {
		env.Send(conn, &committedEntry{request})
	}
}

// appendEntry takes an entry from the leader. It is no proposal, which would wait while
// there is no leader: the entry is committed.
func (s *Server) appendEntry(env *sim.Env, m *sim.Message, c *committedEntry) {
	env.Cover(coverFollows)
	s.append(env, &entry{c.request, sim.NoConn, m.Cause, m.From})
}

// replicationEnded: a leader that restarts, or a follower, lost the stream.
func (s *Server) replicationEnded(env *sim.Env, conn sim.Conn) {
	r := &s.replication
	if conn == r.leader {
		s.follow(env)
		return
	}
	env.Writes(cellFollowers, 0)
	if i := slices.Index(r.followers, conn); i >= 0 {
		r.followers = slices.Delete(r.followers, i, i+1)
	}
}
