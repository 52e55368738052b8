package etcd

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// entry is a request in the raft log.
type entry struct {
	payload sim.Payload
	conn    sim.Conn
	cause   sim.Cause
	from    sim.NodeID
}

// Commit is a write that was carried out. Ground truth is replayed from these
// requests, never from the server's own store.
type Commit struct {
	// Revision is the store's after the write. It is that of the write before if
	// this one changed nothing: the compare of a transaction failed, there was
	// nothing to delete, or it is a compaction.
	Revision int64
	// Request is a *wire.PutRequest, DeleteRangeRequest, TxnRequest or
	// CompactionRequest.
	Request sim.Payload
	// From and Conn tell whose request it is.
	From sim.NodeID
	Conn sim.Conn
}

// Committed lists the writes that were applied, in the order of the raft log.
// Refused ones and transactions that only read are not in it. The slice is valid
// until Reset.
func (s *Server) Committed() []Commit { return s.commits }

// propose puts a write into the raft log. The log of a single member is
// committed when it is on disk, so nothing can come between.
func (s *Server) propose(env *sim.Env, m *sim.Message) {
	s.entries = append(s.entries, entry{m.Payload, m.Conn, m.Cause, m.From})
	s.committed++
	env.WritesItem(cellRaftLog, 0, int64(s.committed))
	if _, ok := m.Payload.(*wire.CompactionRequest); ok {
		s.compactions++
		env.Writes(cellCompactions, 0)
	}
	if s.cfg.Replicated {
		s.replicate(env, m.Payload)
	}
	env.Enable(applyLoop)
}

// runApplyLoop applies one entry and answers it.
func (s *Server) runApplyLoop(env *sim.Env) {
	e := s.entries[s.entry]
	s.entries[s.entry] = entry{}
	s.entry++
	if s.entry == len(s.entries) {
		s.entries, s.entry = s.entries[:0], 0
	} else {
		env.Enable(applyLoop)
	}
	s.applied++
	env.ReadsItem(cellRaftLog, 0, int64(s.applied))
	env.WritesItem(cellRaftLog, 0, int64(s.applied))
	env.Writes(cellApplied, 0)
	env.Under(e.cause)
	if resp := s.apply(env, &e); resp != nil {
		env.Send(e.conn, resp)
	}
	if s.confirmed != 0 && s.applied >= s.confirmed {
		env.Enable(linearizableReadLoop)
	}
}

// apply carries out an entry and returns the answer, nil if a handler gives it
// later.
func (s *Server) apply(env *sim.Env, e *entry) sim.Payload {
	switch r := e.payload.(type) {
	case *wire.PutRequest:
		s.store.put(r.Key, r.Value)
		s.endTxn(env, e)
		s.commit(e)
		return &wire.PutResponse{Revision: s.store.currentRev}
	case *wire.DeleteRangeRequest:
		s.readsKey(env, r.Key, r.RangeEnd)
		n := s.store.deleteRange(r.Key, r.RangeEnd)
		s.endTxn(env, e)
		s.commit(e)
		return &wire.DeleteRangeResponse{Revision: s.store.currentRev, Deleted: n}
	case *wire.TxnRequest:
		resp, code := s.txn(env, r)
		if code != 0 {
			return refusal(code)
		}
		s.endTxn(env, e)
		resp.Revision = s.store.currentRev
		s.commit(e)
		return resp
	case *wire.CompactionRequest:
		s.compactions--
		env.Writes(cellCompactions, 0)
		s.readsRevision(env)
		env.Reads(cellCompactRev, 0)
		if code := s.store.compact(r.Revision); code != 0 {
			return refusal(code)
		}
		env.Writes(cellCompactRev, 0)
		env.WritesItem(cellJobs, 0, r.Revision)
		if env.Noting() {
			env.Note(applied{request: e.payload, compacted: r.Revision})
		}
		s.commit(e)
		s.jobs = append(s.jobs, compactionJob{rev: r.Revision})
		if len(s.jobs) == 1 {
			env.Enable(scheduleCompaction)
		}
		// The handler puts the revision of its own turn into the header.
		s.handle(env, e)
	}
	return nil
}

// endTxn is watchableStoreTxnWrite.End: watchers are told and the revision
// becomes visible under one lock.
func (s *Server) endTxn(env *sim.Env, e *entry) {
	if len(s.store.changes) == 0 {
		s.readsRevision(env)
		if env.Noting() {
			env.Note(applied{request: e.payload, current: s.store.currentRev})
		}
		return
	}
	rev := s.store.currentRev + 1
	env.WritesItem(cellStore, 0, rev)
	env.WritesItem(CellRevision, 0, rev)
	if env.Noting() {
		env.Note(applied{request: e.payload, made: rev})
	}
	s.notify(env, rev, s.store.changes)
	s.store.end()
}

func (s *Server) commit(e *entry) {
	rev := s.store.currentRev
	s.commits = append(s.commits, Commit{Revision: rev, Request: e.payload, From: e.from, Conn: e.conn})
	s.commitLog = e.payload.Digest(s.commitLog.Int(rev).Word(uint64(e.from)))
}
