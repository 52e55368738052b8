package clientbed

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/node"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// timerNext is the guest's next timer: the guest has one clock, so that its timers go off in the order
// of their times.
const timerNext sim.Timer = 0

// cellGuest is all of the guest's memory.
var cellGuest = sim.NewCell("client guest: its memory")

// seeds is how many ways there are to seed the generators of a guest. Map iteration and
// jitter depend on them.
const seeds = 8

// Beginning is how the run of a guest begins.
func Beginning(seed int64) []byte {
	return new(protocol.Writer).Begin(protocol.Start, 0).Int(seed).Bytes
}

// Start implements sim.Node.
func (n *Node) Start(env *sim.Env) {
	n.run(env, Beginning(int64(env.Choose(seeds, "seed of the guest"))))
}

// Restart implements sim.Restarter.
func (n *Node) Restart(env *sim.Env) {
	n.Reset()
	n.Start(env)
}

// Receive implements sim.Node.
func (n *Node) Receive(env *sim.Env, m *sim.Message) {
	if message := n.incoming(m); message != nil {
		n.run(env, message)
	}
}

// Fire implements sim.Node.
func (n *Node) Fire(env *sim.Env, _ sim.Timer) {
	// Without a clock a timer may go off at any point, and has the guest believe that it is time.
	n.clock = max(n.clock, n.until)
	n.run(env, nil)
}

// Run implements sim.Node; a guest has no loops of the world.
func (n *Node) Run(*sim.Env, sim.Task) {}

// TaskName implements sim.Node.
func (n *Node) TaskName(sim.Task) string { return "" }

// TimerName implements sim.Node.
func (n *Node) TimerName(sim.Timer) string { return "next timer of the guest" }

// run has the guest run until all its goroutines wait.
func (n *Node) run(env *sim.Env, message []byte) {
	env.Writes(cellGuest, 0)
	if env.Mode() == sim.Timed {
		n.clock = int64(env.Now())
	}
	n.Begin(env, n.locks, node.ByFunction)
	until, err := n.guest.Run(n, n.clock, message)
	if err != nil {
		// A guest that crashes is a finding of its own.
		panic(err)
	}
	if env.Noting() && len(n.Ran) > 0 {
		env.Note(append(Ran(nil), n.Ran...))
	}
	n.Env = nil
	n.arm(env, until)
}

// arm has the world fire the guest's next timer.
func (n *Node) arm(env *sim.Env, until int64) {
	switch {
	case until == 0:
		if n.until != 0 {
			env.Disarm(timerNext)
		}
	case until != n.until || !env.Armed(timerNext):
		env.Arm(timerNext, time.Duration(until-n.clock))
	}
	n.until = until
}

// incoming is a message of the world as the guest understands it, nil if it does not concern
// the guest any more.
func (n *Node) incoming(m *sim.Message) []byte {
	if i := at(n.calls, inWorld(m.Conn)); i >= 0 {
		number := n.calls[i].number
		n.calls = append(n.calls[:i], n.calls[i+1:]...)
		return n.answer(number, m.Payload)
	}
	if i := at(n.watches, inWorld(m.Conn)); i >= 0 {
		number := n.watches[i].number
		if _, ends := m.Payload.(*sim.Hangup); ends {
			n.watches = append(n.watches[:i], n.watches[i+1:]...)
		}
		return n.answer(number, m.Payload)
	}
	return n.request(m)
}

// answer is what etcd says.
func (n *Node) answer(number uint32, p sim.Payload) []byte {
	w := &n.out
	switch p := p.(type) {
	case *wire.LeaseGrantResponse:
		w.Begin(protocol.Leased, number).Int(p.Revision).Int(p.ID).Int(p.TTL)
	case *wire.LeaseRevokeResponse:
		w.Begin(protocol.Leased, number).Int(p.Revision).Int(0).Int(0)
	case *wire.LeaseKeepAliveResponse:
		w.Begin(protocol.Leased, number).Int(p.Revision).Int(p.ID).Int(p.TTL)
	case *wire.WatchResponse:
		node.WriteWatchResponse(w.Begin(protocol.WatchResponse, number), p)
	case *wire.Error:
		w.Begin(protocol.Refused, number).Byte(byte(p.Code)).Text(p.Message)
	case *sim.Hangup:
		w.Begin(protocol.Hangup, number).Bool(p.Broken)
	default:
		if !node.WriteDid(w.Begin(protocol.Did, number), p) {
			return nil
		}
	}
	return w.Bytes
}

// request is what a client asks. A client that is gone is not missed: what it asked is carried out.
func (n *Node) request(m *sim.Message) []byte {
	if w := n.out.Begin(protocol.Do, uint32(m.Conn)); node.WriteOp(w, m.Payload) {
		return w.Bytes
	}
	return nil
}
