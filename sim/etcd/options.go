package etcd

import (
	"cmp"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/lease"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// Options are everything about a server that can be set by name: what releases
// differ in, and amounts. Amounts left at zero are what etcd has out of the box.
type Options struct {
	Store     mvcc.Options
	Watch     v3rpc.Options
	Reads     ReadOptions
	Log       LogOptions
	Answers   v3rpc.Answers
	Leases    lease.Options
	Write     WriteOptions
	Elections ElectionOptions
	Streams   StreamOptions
	Headers   HeaderOptions
}

// WriteOptions are about requests that are proposed to raft.
type WriteOptions struct {
	// MaxRequestBytes is the size of the largest one, in bytes: --max-request-bytes. The
	// zero value is 1.5 MiB.
	MaxRequestBytes int
	// RemovesNeedlessRanges is removeNeedlessRangeReqs, which goes over the operations of the outermost transaction.
	RemovesNeedlessRanges bool
}

var txnChoices = option.NewGroup("etcd", option.Either("needless-ranges", func(o *WriteOptions) *bool { return &o.RemovesNeedlessRanges },
	"what a member makes of the ranges of a transaction that it applies and does not answer",
	option.Val("checked", "it looks whether it has their revisions, and refuses the whole like the member that answers"),
	option.Val("removed", "they are not there for it: it carries out what the member that answers may refuse (etcd-io/etcd#18667)")))

var writeOptions = option.NewGroup("etcd",
	option.Count("max-request-bytes", func(o *WriteOptions) *int { return &o.MaxRequestBytes }, "1.5 MiB", "bytes of the largest write that etcd takes, as it is proposed to raft"))

func store(o *Options) *mvcc.Options  { return &o.Store }
func watch(o *Options) *v3rpc.Options { return &o.Watch }

func streams(o *Options) *StreamOptions { return &o.Streams }

// Choices are the options in which releases differ.
var Choices = option.Join(option.Lift(v3rpc.Choices, watch), option.Lift(mvcc.Choices, store),
	option.Lift(logOptions, func(o *Options) *LogOptions { return &o.Log }),
	option.NewGroup("etcd", v3rpc.AnswersOption(func(o *Options) *v3rpc.Answers { return &o.Answers })),
	option.Lift(txnChoices, func(o *Options) *WriteOptions { return &o.Write }),
	option.Lift(lease.Choices, func(o *Options) *lease.Options { return &o.Leases }),
	option.Lift(readChoices, func(o *Options) *ReadOptions { return &o.Reads }),
	option.Lift(streamChoices, streams),
	option.Lift(headerChoices, func(o *Options) *HeaderOptions { return &o.Headers }))

// Group is all options of a server: the choices, then the amounts.
var Group = option.Join(Choices, option.Lift(mvcc.Amounts, store), option.Lift(v3rpc.Amounts, watch),
	option.Lift(readOptions, func(o *Options) *ReadOptions { return &o.Reads }),
	option.Lift(writeOptions, func(o *Options) *WriteOptions { return &o.Write }),
	option.Lift(electionOptions, func(o *Options) *ElectionOptions { return &o.Elections }),
	option.Lift(streamAmounts, streams))

func (o *Options) setDefaults() {
	o.Store.SetDefaults()
	o.Watch.SetDefaults()
	o.Streams.setDefaults()
	o.Write.MaxRequestBytes = cmp.Or(o.Write.MaxRequestBytes, defaultMaxRequestBytes)
	o.Elections.Timeout = cmp.Or(o.Elections.Timeout, defaultElectionTimeout)
}

// defaultMaxRequestBytes is that of etcd's embed.DefaultMaxRequestBytes.
const defaultMaxRequestBytes = 3 << 19

// With returns the options with one of them set. The error names the option and
// what it takes.
func (o Options) With(name, value string) (Options, error) {
	err := Group.Set(&o, name, value)
	return o, err
}

// clusterID is that of the cluster, of which a world has one. firstTerm is the term of the first leader: a member that
// starts is in term 1, and campaigns in the next one.
const clusterID, firstTerm = 1, 2

// HeaderOptions are what the headers of answers say beside the revision.
type HeaderOptions struct {
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
