package etcd

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
	"github.com/watchbed/watchbed/sim/wire"
)

// propose puts a write into the raft log. The log of a single member is
// committed when it is on disk, so nothing can come between.
func (s *Server) propose(env *sim.Env, e entry) {
	if s.refuseWrite(env, &e) || s.mustAwaitLeader(env, &e) {
		return
	}
	s.append(env, &e)
}

// append puts an entry into the log.
func (s *Server) append(env *sim.Env, e *entry) {
	if s.entryAwaitsDisk(env, e) {
		return
	}
	s.log.append(env, *e)
	if _, ok := e.payload.(*wire.CompactionRequest); ok {
		s.watch.CompactionCommitted(env)
	}
	if s.cfg.Replicated {
		s.replicate(env, e.payload)
	}
	env.Enable(applyLoop)
}

// runApplyLoop applies one entry and answers it.
func (s *Server) runApplyLoop(env *sim.Env) {
	if s.backend.holdsUpApply(env) {
		return
	}
	if s.log.ending.open {
		s.endApply(env)
		return
	}
	if s.compactWaits(env) {
		return
	}
	e := s.log.apply(env)
	if s.members.options().Log.Unapplied == Repeated {
		s.log.newest = e
	}
	if !s.publishesLater() {
		s.applyNext(env)
	}
	env.Under(e.cause)
	resp := s.apply(env, &e)
	if s.store.Fatal() {
		s.log.again(env, e)
		return
	}
	if s.store.Unpublished() {
		s.log.ending = ending{open: true, entry: e, answer: resp}
		env.Enable(applyLoop)
		return
	}
	s.applied(env, &e, resp)
}

// publishesLater reports whether a write may take two steps. The next entry has to wait for
// the second one.
func (s *Server) publishesLater() bool {
	return s.members.options().Store.VisibleLater
}

// applyNext goes on with the next entry, if there is one.
func (s *Server) applyNext(env *sim.Env) {
	if s.log.waits() {
		env.Enable(applyLoop)
	}
}

// ending is an entry whose events are sent, and whose revision is not visible yet.
type ending struct {
	open   bool
	entry  entry
	answer sim.Payload
}

// endApply is the second step of a write: its revision becomes visible.
func (s *Server) endApply(env *sim.Env) {
	e := s.log.ending
	s.log.appliedIndex.Change(env).ending = ending{}
	env.Under(e.entry.cause)
	s.store.Publish(env)
	s.applied(env, &e.entry, e.answer)
}

// applied answers an entry, if no handler does it later, and lets go those who waited for
// it.
func (s *Server) applied(env *sim.Env, e *entry, resp sim.Payload) {
	if s.publishesLater() {
		s.applyNext(env)
	}
	if resp != nil {
		s.answer(env, e.conn, e.payload, resp)
	}
	if s.reads.confirmed != 0 && s.log.applied >= s.reads.confirmed {
		env.Enable(linearizableReadLoop)
	}
}

// appliedIndex is that of the last entry that was applied to its end.
func (s *Server) appliedIndex() uint64 {
	if s.log.ending.open {
		return s.log.applied - 1
	}
	return s.log.applied
}

// apply carries out an entry and returns the answer, nil if a handler gives it
// later.
func (s *Server) apply(env *sim.Env, e *entry) sim.Payload {
	switch r := e.payload.(type) {
	case *wire.PutRequest:
		if err := s.checkPut(env, r); err != nil {
			return err
		}
		resp := s.put(env, r)
		resp.Revision = s.endTxn(env, e)
		return resp
	case *wire.DeleteRangeRequest:
		resp := s.deleteRange(env, r)
		resp.Revision = s.endTxn(env, e)
		return resp
	case *wire.TxnRequest:
		needless := s.cfg.Leader != 0 && s.members.options().Write.RemovesNeedlessRanges
		resp, err := s.txn(env, r, needless)
		if err != nil {
			return err
		}
		resp.Revision = s.endTxn(env, e)
		return resp
	case *wire.CompactionRequest:
		return s.compact(env, e, r.Revision)
	case *wire.LeaseGrantRequest:
		return s.leaseGrant(env, e, r)
	case *wire.LeaseRevokeRequest:
		return s.leaseRevoke(env, e, r)
	}
	return nil
}

// checkPut is checkPut: its lease must be there, and what it keeps.
func (s *Server) checkPut(env *sim.Env, r *wire.PutRequest) *wire.Error {
	if r.Lease != 0 && s.lookup(env, r.Lease) == nil {
		env.Cover(coverPutWithoutLease)
		return v3rpc.ErrLeaseNotFound
	}
	if (r.IgnoreValue || r.IgnoreLease) && len(s.before(env, r.Key, "")) == 0 {
		env.Cover(coverIgnoresNothing)
		return v3rpc.ErrKeyNotFound
	}
	return nil
}

// put is applierV3backend.Put, without the header and the checks.
func (s *Server) put(env *sim.Env, r *wire.PutRequest) *wire.PutResponse {
	resp := &wire.PutResponse{}
	value, lease := r.Value, r.Lease
	if r.PrevKv || r.IgnoreValue || r.IgnoreLease {
		before := s.before(env, r.Key, "")
		if r.PrevKv && len(before) > 0 {
			resp.PrevKv = before[0]
		}
		if (r.IgnoreValue || r.IgnoreLease) && len(before) == 0 {
			// A deletion up to "\x00" in the same transaction has taken it away after
			// checkPut. Every release of etcd panics here.
			panic("etcd: unexpected error during txn with writes: a put keeps what the transaction has deleted")
		}
		if r.IgnoreLease {
			env.Cover(coverIgnoresLease)
			lease = before[0].Lease
		}
		if r.IgnoreValue {
			env.Cover(coverIgnoresValue)
			value = before[0].Value
		}
	}
	s.store.Put(r.Key, value, lease)
	return resp
}

// deleteRange is applierV3backend.DeleteRange, without the header.
func (s *Server) deleteRange(env *sim.Env, r *wire.DeleteRangeRequest) *wire.DeleteRangeResponse {
	resp := &wire.DeleteRangeResponse{}
	if r.PrevKv {
		resp.PrevKvs = s.before(env, r.Key, r.RangeEnd)
	}
	resp.Deleted = s.store.DeleteRange(env, r.Key, r.RangeEnd)
	return resp
}

// before are the key-values of a range before a write.
func (s *Server) before(env *sim.Env, key, end string) []*wire.KeyValue {
	// The newest state is never compacted.
	resp, _ := s.store.Range(env, &wire.RangeRequest{Key: key, RangeEnd: end})
	return resp.Kvs
}

// endTxn ends the write transaction of an entry and returns the revision after it.
func (s *Server) endTxn(env *sim.Env, e *entry) int64 {
	if s.store.Fatal() {
		return 0
	}
	if *s.log.skipped.Value() {
		s.log.skipped.Read(env)
	}
	if s.store.Changed() {
		applied.Say(env, write{e.payload}, s.store.CurrentRev()+1)
		s.attach(env)
		s.store.End(env)
	} else {
		rev := s.store.Rev(env)
		appliedUnchanged.Say(env, e.payload, rev)
	}
	s.commits.add(s.log.applied, s.store.CurrentRev(), e)
	return s.store.CurrentRev()
}

// compact begins a compaction. The handler puts the revision of its own turn into
// the header of the answer.
func (s *Server) compact(env *sim.Env, e *entry, rev int64) sim.Payload {
	s.watch.CompactionApplied(env)
	r := e.payload.(*wire.CompactionRequest)
	code := s.store.Compact(env, rev)
	s.compactEnds(env)
	if code != 0 {
		if r.Physical && code == wire.ErrCompacted {
			// updateCompactRev puts a barrier behind the compactions that are under way.
			s.awaitRemoval(env, e, v3rpc.Refusal(code))
			return nil
		}
		return v3rpc.Refusal(code)
	}
	appliedCompact.Say(env, e.payload, rev)
	s.commits.add(s.log.applied, s.store.CurrentRev(), e)
	if r.Physical {
		s.awaitRemoval(env, e, nil)
		return nil
	}
	s.handle(env, *e)
	return nil
}

// removal is a physical compaction whose handler waits (EtcdServer.Compact, on Physc).
type removal struct {
	entry entry
	// refusal is its answer, nil if the compaction was accepted.
	refusal *wire.Error
	// jobs is how many compactions have to be done first.
	jobs int `cell:"-"`
}

// awaitRemoval has a handler wait until the compactions are done that are scheduled now.
func (s *Server) awaitRemoval(env *sim.Env, e *entry, refusal *wire.Error) {
	if s.store.ScheduledJobs(env) > s.store.FinishedJobs() {
		env.Cover(coverAwaitsRemoval)
	}
	all := s.removals.Change(env)
	*all = append(*all, removal{*e, refusal, s.store.ScheduledJobs(env)})
	s.removed(env)
}

// removed lets the handlers go on whose compactions are done.
func (s *Server) removed(env *sim.Env) {
	for all := s.removals.Value(); len(*all) > 0 && (*all)[0].jobs <= s.store.FinishedJobs(); {
		r := (*all)[0]
		*s.removals.Change(env) = slices.Delete(*all, 0, 1)
		env.Under(r.entry.cause)
		if r.refusal != nil {
			env.Send(r.entry.conn, r.refusal)
			continue
		}
		s.handle(env, r.entry)
	}
}
