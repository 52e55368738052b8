package etcd

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

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

// Free implements state.Placed.
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
