package etcd

import (
	"strings"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// LoseLeader is a fault: the cluster has no leader for some time. Watch streams whose clients require a leader end once
// the server has seen none for three election timeouts, and new ones are refused (v3rpc monitorLeader and
// newStreamInterceptor). Writes wait, since raft takes no proposals. Linearizable reads wait, and fail when there is a
// leader again, because it is another one. It concerns the members that serve clients, and ends as Clog does.
func LoseLeader(members []sim.NodeID, label string, until sim.Time) sim.Fault {
	return &ordered{
		name: "no leader in " + label, nodes: members,
		ready: (*Server).HasLeader,
		order: order{"no leader", func(d sim.Digest) sim.Digest { return d.Text("no leader").Int(int64(until)) },
			func(s *Server, env *sim.Env) { s.loseLeader(env, until) }},
	}
}

// leader is what a member knows of the cluster's leader.
type leader struct {
	state.Cell[leader] `cell:"etcd: leader"`

	is leaderState
	// until is when there is one again, timed.
	until sim.Time
	// cut: nothing comes from it (CutOff).
	cut bool
	// proposals wait for it.
	proposals []entry
}

type leaderState uint8

const (
	// leads: there is a leader.
	leads leaderState = iota
	// lost: there is none, and monitorLeader has not seen that for long enough.
	lost
	// missed: monitorLeader has ended the streams that require a leader.
	missed
)

// ElectionOptions are about the time without a leader.
type ElectionOptions struct {
	// Timeout is --election-timeout: 1 s.
	Timeout sim.Duration
}

var electionOptions = option.NewGroup("etcd",
	option.Period("election-timeout", func(o *ElectionOptions) *time.Duration { return &o.Timeout }, "1s",
		"election timeout: after three of them without a leader monitorLeader ends streams that require one (--election-timeout)"))

// defaultElectionTimeout is that of embed.DefaultElectionMs, maxNoLeaderCnt after how many of
// them monitorLeader has seen enough.
const (
	defaultElectionTimeout = time.Second
	maxNoLeaderCnt         = 3
)

func (o *ElectionOptions) noLeaderTimeouts() sim.Duration { return maxNoLeaderCnt * o.Timeout }

// electionTicks are the heartbeats in an election timeout, by etcd's defaults. A member that
// hears none campaigns after one timeout to almost two, which raft draws for each term
// (resetRandomizedElectionTimeout).
const electionTicks = 10

// LongestElection is the most that a member may draw, for an election timeout.
func LongestElection(timeout sim.Duration) sim.Duration {
	return timeout * (2*electionTicks - 1) / electionTicks
}

// loseLeader: there is no leader from now on.
func (s *Server) loseLeader(env *sim.Env, until sim.Time) {
	if s.leader.is != leads {
		return
	}
	s.leader.until = until
	s.isLost(env)
	if env.Mode() == sim.Timed && until.Sub(env.Now()) <= s.cfg.Elections.noLeaderTimeouts() {
		s.awaitLeader(env)
		return
	}
	env.Arm(leaderTimer, s.cfg.Elections.noLeaderTimeouts())
}

// isLost: the member knows no leader from now on.
func (s *Server) isLost(env *sim.Env) {
	env.Cover(coverNoLeader)
	leaderLost.Say(env)
	s.leader.Change(env).is = lost
	s.watch.SetLeaderless(env, true)
	s.demote(env)
	if s.reads.Look(env).confirmed == 0 {
		env.Disable(linearizableReadLoop)
	}
}

// awaitLeader: streams that require a leader have ended, or there is one soon enough.
func (s *Server) awaitLeader(env *sim.Env) {
	s.leader.Change(env).is = missed
	env.Arm(leaderTimer, max(0, s.leader.until.Sub(env.Now())))
}

// leaderTimerFires: the election timeout has passed, monitorLeader has seen no leader for
// long enough, or there is one again.
func (s *Server) leaderTimerFires(env *sim.Env) {
	switch l := s.leader.Read(env); {
	case l.is == leads:
		s.campaign(env)
	case l.is == lost && l.cut:
		s.watch.EndLeaderless(env)
		s.leader.Change(env).is = missed
	case l.is == lost:
		s.watch.EndLeaderless(env)
		s.awaitLeader(env)
	default:
		s.hasLeader(env)
	}
}

// hasLeader: there is a leader again.
func (s *Server) hasLeader(env *sim.Env) {
	leaderAgain.Say(env)
	l := s.leader.Change(env)
	l.is, l.until = leads, 0
	s.watch.SetLeaderless(env, false)
	s.win()
	s.promote(env)
	proposals := l.proposals
	l.proposals = nil
	for i := range proposals {
		s.append(env, &proposals[i])
	}
	s.answerIndices(env)
	if len(s.reads.Look(env).readNotifier) > 0 && s.reads.idle() && !s.disk.turn {
		s.failNext(env, LeaderChanges)
		env.Enable(linearizableReadLoop)
	}
}

// HasLeader reports whether the cluster has a leader, as far as the member knows.
func (s *Server) HasLeader() bool { return s.leader.is == leads }

// cutOff: no heartbeats come from now on, or they come again.
func (s *Server) cutOff(env *sim.Env, begins bool) {
	s.leader.Change(env).cut = begins
	switch {
	case begins:
		env.Cover(coverCutOff)
		s.awaitHeartbeat(env)
	case s.leader.is == leads:
		env.Disarm(leaderTimer)
	default:
		env.Disarm(leaderTimer)
		s.hasLeader(env)
	}
}

// awaitHeartbeat arms the election timeout.
func (s *Server) awaitHeartbeat(env *sim.Env) {
	ticks := electionTicks + env.Choose(electionTicks, "after how many more ticks the election timeout passes")
	env.Arm(leaderTimer, s.cfg.Elections.Timeout*sim.Duration(ticks)/electionTicks)
}

// campaign: the election timeout has passed. The member votes for itself, and no vote comes.
func (s *Server) campaign(env *sim.Env) {
	s.isLost(env)
	env.Arm(leaderTimer, s.cfg.Elections.noLeaderTimeouts())
}

// CutOff reports whether the member hears nothing from the leader.
func (s *Server) CutOff() bool { return s.leader.cut }

// mustAwaitLeader: a write waits until there is a leader.
func (s *Server) mustAwaitLeader(env *sim.Env, e *entry) bool {
	if s.leader.Look(env).is == leads {
		return false
	}
	env.Cover(coverAwaitsLeader)
	s.leader.Change(env).proposals = append(s.leader.proposals, *e)
	return true
}

// wakeReadLoop lets linearizableReadLoop take the next turn, if there is a leader that
// could say what is committed.
func (s *Server) wakeReadLoop(env *sim.Env) {
	if s.leader.Look(env).is == leads {
		env.Enable(linearizableReadLoop)
	}
}

// Member is one member of the cluster, as clients see it: its endpoint, and its
// release, which may differ from that of others.
//
// There is one store and one server all the same: the member that serves. The
// cluster moves to another one by restarting as that one (Failover): to clients
// it is the same, whether the server they were connected to came back or another
// one took over. So all streams and reads of all clients are one member's at a
// time.
type Member struct {
	// Version is what the member answers to Status: "3.5.13", or what is no version.
	Version string  `cell:"-"`
	Options Options `cell:"-"`
	// Down: it does not answer Status, until it serves.
	Down bool
}

// members are those of the cluster.
type members struct {
	state.Cell[members] `cell:"etcd: members"`

	all []member
	// serving is the member that this server is now.
	serving    int
	downgraded bool
}

// member is what changes about a Member in a run.
type member struct {
	Member
	// status is immutable: messages share it.
	status *wire.StatusResponse `cell:"-"`
}

// Clear makes it a new one, and keeps its memory.
func (ms *members) Clear() { *ms = members{Cell: ms.Cell, all: ms.all[:0]} }

// reset makes the cluster that of the configuration. The first member
// serves.
func (ms *members) reset(c *Config) {
	ms.Clear()
	for i := range c.Members {
		ms.add(c.Members[i])
	}
	if len(ms.all) == 0 {
		ms.add(Member{Version: c.Version, Options: c.Options})
	}
	ms.serve(0)
}

func (ms *members) add(m Member) {
	m.Options.setDefaults()
	n, version := len(ms.all), strings.TrimPrefix(m.Version, "v")
	var status *wire.StatusResponse
	if n < cap(ms.all) {
		status = ms.all[:n+1][n].status
	}
	if status == nil || status.Version != version {
		status = &wire.StatusResponse{Version: version}
	}
	ms.all = append(ms.all, member{Member: m, status: status})
}

// replace makes all members the same one.
func (ms *members) replace(m Member) {
	n := len(ms.all)
	ms.all, ms.downgraded = ms.all[:0], true
	for range n {
		ms.add(m)
	}
}

func (ms *members) serve(i int) {
	ms.serving = i
	ms.all[i].Down = false
}

// next is the member that serves after the present one.
func (ms *members) next() int { return (ms.serving + 1) % len(ms.all) }

// options are those of the member that serves.
func (ms *members) options() *Options { return &ms.all[ms.serving].Options }

// status is the answer to Maintenance.Status. It depends on nothing that changes
// while the cluster runs.
func (ms *members) status(env *sim.Env, r *wire.StatusRequest) sim.Payload {
	ms.Read(env)
	switch {
	case r.Endpoint == wire.ServingEndpoint:
		return ms.all[ms.serving].status
	case r.Endpoint < 0 || r.Endpoint >= len(ms.all):
		return v3rpc.ErrUnknown
	case ms.all[r.Endpoint].Down:
		env.Cover(coverStatusDown)
		return v3rpc.ErrDown
	default:
		return ms.all[r.Endpoint].status
	}
}
