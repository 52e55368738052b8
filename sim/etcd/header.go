package etcd

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// clusterID is that of the cluster, of which a world has one. firstTerm is the term of the first leader: a member that
// starts is in term 1, and campaigns in the next one.
const clusterID, firstTerm = 1, 2

// HeaderOptions are what the headers of answers say beside the revision.
type HeaderOptions struct {
	// KeepTerm: the term is that in which the process began.
	KeepTerm bool
}

var headerChoices = option.NewGroup("etcd", option.Either("header-term", func(o *HeaderOptions) *bool { return &o.KeepTerm },
	"the raft term in the headers of answers",
	option.Val("present", "that of the member when it answers: all releases"),
	option.Bug("of-start", "that in which the process began: no release")))

// beginTerm has the process that starts say which member it is. A leader begins in a term of its own.
func (s *Server) beginTerm(env *sim.Env) {
	term := int64(firstTerm)
	if s.header != nil {
		term = s.header.RaftTerm
		if s.cfg.Leader == 0 {
			term++
		}
	}
	s.header = &wire.Header{ClusterID: clusterID, MemberID: int64(env.Self())<<8 | int64(s.members.serving), RaftTerm: term}
	s.watch.Stamp(s.header)
}

// entersTerm: the member is in a later term from now on. A follower learns of it by the next message of the leader, of
// which heartbeats are left out here.
func (s *Server) entersTerm(term int64) {
	if s.header.RaftTerm >= term || s.members.options().Headers.KeepTerm {
		return
	}
	in := *s.header
	in.RaftTerm = term
	s.header = &in
	s.watch.Stamp(s.header)
}

// wins: the next leader has the next term.
func (s *Server) win() {
	if s.cfg.Leader == 0 {
		s.entersTerm(s.header.RaftTerm + 1)
	}
}

// headed is an answer that has a header.
type headed interface{ Stamp(*wire.Header) }

// stamped is an answer with its header, if it has one.
func (s *Server) stamped(p sim.Payload) sim.Payload {
	if h, ok := p.(headed); ok {
		h.Stamp(s.header)
	}
	return p
}
