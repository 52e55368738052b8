package etcd

import "github.com/watchbed/watchbed/sim"

// Clog is a fault: nothing that etcd sends on watch streams gets through, although
// they stay open, as behind a network that drops packets or a receiver that has
// stopped reading (KEP-2340, "What if the watch cache is stale?"). Reads and
// writes are answered.
type Clog struct {
	// Node is the server's.
	Node  sim.NodeID
	Label string
	// From is the client whose streams are clogged, 0 for all.
	From sim.NodeID
	// Until is when it ends, timed; untimed it ends at any point.
	Until sim.Time
}

// Name implements sim.Fault.
func (f *Clog) Name() string { return "clog " + f.Label }

// Ready implements sim.Fault.
func (f *Clog) Ready(w *sim.World) bool { return w.Node(f.Node).(*Server).clogged == nil }

// Strike implements sim.Fault.
func (f *Clog) Strike(env *sim.Env) {
	// Nobody waits for the answer.
	env.Close(env.Call(f.Node, &clogMessage{f}))
}

// clogMessage tells the server of the fault.
type clogMessage struct{ fault *Clog }

// Digest implements sim.Payload.
func (m *clogMessage) Digest(d sim.Digest) sim.Digest {
	return d.Text("clog").Word(uint64(m.fault.From)).Int(int64(m.fault.Until))
}

// Label implements sim.Payload.
func (m *clogMessage) Label() string { return "clog" }

// clog blocks the send loops, or lets them go.
func (s *Server) clog(env *sim.Env, f *Clog) {
	s.clogged = f
	env.Writes(cellClogged, 0)
	if env.Noting() {
		env.Note(clogs{ended: f == nil})
	}
	if f == nil {
		s.resumeSends(env)
		return
	}
	env.Arm(unclogTimer, max(0, f.Until.Sub(env.Now())))
}
