package etcd

import (
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Member is one member of the cluster, as clients tell them apart: an endpoint
// of its own, and a release that may not be the others'.
//
// There is one store and one server all the same: the member that serves. The
// cluster moves to another one by restarting as that one (Failover): to clients
// it is the same, whether the server they were connected to came back or another
// one took over. So all streams and reads of all clients are one member's at a
// time.
type Member struct {
	// Version is what the member answers to Status: "3.5.13".
	Version string
	Behaviour
	// Down: it does not answer Status, until it serves.
	Down bool
}

// member is what changes about a Member in a run.
type member struct {
	Member
	// status is immutable: messages share it.
	status *wire.StatusResponse
}

// resetMembers makes the cluster the one that the configuration names.
func (s *Server) resetMembers() {
	s.members, s.serving, s.downgraded = s.members[:0], 0, false
	for i := range s.cfg.Members {
		s.addMember(s.cfg.Members[i])
	}
	if len(s.members) == 0 {
		s.addMember(Member{Version: s.cfg.Version, Behaviour: s.cfg.Behaviour})
	}
	s.serve(0)
}

func (s *Server) addMember(m Member) {
	n, version := len(s.members), strings.TrimPrefix(m.Version, "v")
	var status *wire.StatusResponse
	if n < cap(s.members) {
		status = s.members[:n+1][n].status
	}
	if status == nil || status.Version != version {
		status = &wire.StatusResponse{Version: version}
	}
	s.members = append(s.members, member{Member: m, status: status})
}

// serve makes the server behave as one member does.
func (s *Server) serve(i int) {
	s.serving = i
	s.members[i].Down = false
	s.cfg.Behaviour = s.members[i].Behaviour
}

// Serving is the behaviour of the member that serves.
func (s *Server) Serving() Behaviour { return s.cfg.Behaviour }

// status answers Maintenance.Status. It looks at nothing that anybody changes
// meanwhile.
func (s *Server) status(env *sim.Env, c sim.Conn, r *wire.StatusRequest) {
	env.Reads(cellMembers, 0)
	switch {
	case r.Endpoint < 0 || r.Endpoint >= len(s.members):
		env.Send(c, errUnknown)
	case s.members[r.Endpoint].Down:
		env.Cover(coverStatusDown)
		env.Send(c, errDown)
	default:
		env.Send(c, s.members[r.Endpoint].status)
	}
}

func (s *Server) membersFingerprint(d sim.Digest) sim.Digest {
	state := uint64(s.serving) << 1
	if s.downgraded {
		state |= 1
	}
	for i := range s.members {
		if s.members[i].Down {
			state |= 1 << (8 + i)
		}
	}
	return d.Word(state)
}

// Failover is a fault: the member that serves goes away, and all clients connect
// to the next one, which may run another release.
type Failover struct {
	// Node is the server's.
	Node  sim.NodeID
	Label string
}

// Name implements sim.Fault.
func (f *Failover) Name() string { return "failover " + f.Label }

// Ready implements sim.Fault.
func (f *Failover) Ready(w *sim.World) bool { return len(w.Node(f.Node).(*Server).members) > 1 }

// Strike implements sim.Fault.
func (f *Failover) Strike(env *sim.Env) {
	s := env.Node(f.Node).(*Server)
	env.Cover(coverFailover)
	s.serve((s.serving + 1) % len(s.members))
	restart(env, f.Node, f.Label)
}

// Downgrade is a fault: the cluster goes down, and comes back as an older
// release. Nobody is told; who asked for the version before knows the old one.
type Downgrade struct {
	// Node is the server's.
	Node  sim.NodeID
	Label string
	To    Member
}

// Name implements sim.Fault.
func (f *Downgrade) Name() string { return "downgrade " + f.Label + " to " + f.To.Version }

// Ready implements sim.Fault.
func (f *Downgrade) Ready(w *sim.World) bool {
	return !w.Node(f.Node).(*Server).downgraded
}

// Strike implements sim.Fault.
func (f *Downgrade) Strike(env *sim.Env) {
	s := env.Node(f.Node).(*Server)
	env.Cover(coverDowngrade)
	n := len(s.members)
	s.members, s.downgraded = s.members[:0], true
	for range n {
		s.addMember(f.To)
	}
	s.serve(s.serving)
	restart(env, f.Node, f.Label)
}

func restart(env *sim.Env, n sim.NodeID, label string) {
	(&sim.RestartProcess{Nodes: []sim.NodeID{n}, Label: label}).Strike(env)
}
