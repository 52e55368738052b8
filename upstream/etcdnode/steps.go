package etcdnode

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/node"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// The numbers of the node's own loop and timer lie behind those that the server needs: without streams it has few
// timers, and some loops for each read that is under way, of which there are a few thousand at most.
const (
	guestLoop  sim.Task  = 1 << 14
	guestTimer sim.Timer = 64
)

// cellGuest is all of the guest's memory.
var cellGuest = sim.NewCell("etcd guest: its memory")

// seeds is how many ways there are to seed the generators of a guest. The order in which it goes through maps
// depends on them.
const seeds = 8

// Start implements sim.Node.
func (n *Node) Start(env *sim.Env) {
	n.server.Start(env)
	n.boot(env)
}

// Beginning is how the run of a guest begins whose store is empty.
func Beginning(seed int64) []byte {
	return new(protocol.Writer).Begin(protocol.Start, 0).Int(seed).Int(0).Int(1).Int(0).Int(0).Bytes
}

// boot starts the guest with what the store begins with.
func (n *Node) boot(env *sim.Env) {
	seed := env.Choose(seeds, "seed of the guest")
	w := n.out.Begin(protocol.Start, 0).Int(int64(seed)).Int(int64(n.cfg.Watch.ProgressNotifyInterval)).
		Int(n.cfg.InitialRevision).Int(n.cfg.Compacted).Int(int64(len(n.cfg.Initial)))
	for _, kv := range n.cfg.Initial {
		node.WriteKV(w, kv)
	}
	n.hand(env, w.Bytes)
	n.revision = n.cfg.InitialRevision
	n.follow(env)
}

// Receive implements sim.Node.
func (n *Node) Receive(env *sim.Env, m *sim.Message) {
	_, ends := m.Payload.(*sim.Hangup)
	switch {
	case ends && n.closed(m.Conn):
		n.hand(env, n.out.Begin(protocol.Hangup, uint32(m.Conn)).Bytes)
		return
	case ends:
		n.server.Receive(env, m)
		return
	case !node.WriteWatchRequest(&n.out, uint32(m.Conn), m.Payload):
		n.server.Receive(env, m)
		n.follow(env)
		return
	}
	if n.opened(env, m) {
		n.hand(env, n.out.Bytes)
	}
}

// Fire implements sim.Node.
func (n *Node) Fire(env *sim.Env, t sim.Timer) {
	if t != guestTimer {
		n.server.Fire(env, t)
		n.follow(env)
		return
	}
	// Without a clock a timer may go off at any point, and has the guest believe that it is time.
	n.clock = max(n.clock, n.until)
	n.resume(env, nil, false)
}

// Run implements sim.Node.
func (n *Node) Run(env *sim.Env, t sim.Task) {
	if t == guestLoop {
		n.resume(env, nil, true)
		return
	}
	n.server.Run(env, t)
	n.follow(env)
}

// TaskName implements sim.Node.
func (n *Node) TaskName(t sim.Task) string {
	if t == guestLoop {
		return "goroutines"
	}
	return n.server.TaskName(t)
}

// TimerName implements sim.Node.
func (n *Node) TimerName(t sim.Timer) string {
	if t == guestTimer {
		return "next timer of the guest"
	}
	return n.server.TimerName(t)
}

// follow has the guest apply what the server has applied since.
func (n *Node) follow(env *sim.Env) {
	all := n.server.Committed()
	for ; n.seen < len(all); n.seen++ {
		if rev := all[n.seen].Revision; rev > n.revision {
			n.revision = rev
			n.record(env, n.changes(rev))
		}
	}
	if rev := n.server.CompactRevision(); rev > n.compacted && rev > n.cfg.Compacted {
		n.compacted = rev
		n.record(env, new(protocol.Writer).Begin(protocol.Compact, 0).Int(rev).Bytes)
	}
}

// changes is the message about what the write of a revision has changed.
func (n *Node) changes(rev int64) []byte {
	var body protocol.Writer
	count := int64(0)
	n.server.Changes(rev, func(kv *wire.KeyValue, deleted bool) {
		count++
		body.Bool(deleted).Text(kv.Key)
		if !deleted {
			body.Text(kv.Value).Int(kv.Lease)
		}
	})
	return append(new(protocol.Writer).Begin(protocol.Apply, 0).Int(count).Bytes, body.Bytes...)
}

// record hands the guest what a restart will hand it again.
func (n *Node) record(env *sim.Env, message []byte) {
	n.log = append(n.log, message)
	n.hand(env, message)
}

// hand has the guest take a message. None of its goroutines goes on yet but the one that takes it.
func (n *Node) hand(env *sim.Env, message []byte) { n.resume(env, message, false) }

// resume has the guest go on until it waits. If lets, one of the goroutines that can run does.
func (n *Node) resume(env *sim.Env, message []byte, lets bool) {
	env.Write(cellGuest, 0)
	if env.Mode() == sim.Timed {
		n.clock = int64(env.Now())
	}
	n.Begin(env, n.locks, node.ByFunction)
	n.lets, n.yields = lets, lets
	n.runnable = false
	until, err := n.guest.Run(n, n.clock, message)
	if err == nil && until != 0 {
		var rests bool
		if rests, err = n.rests(env); rests {
			until = 0
		}
	}
	if err != nil {
		// A guest that crashes is a finding of its own.
		panic(err)
	}
	n.Env = nil
	n.note(env)
	if n.runnable {
		env.Enable(guestLoop)
	} else {
		env.Disable(guestLoop)
	}
	n.arm(env, until)
}

// arm has the world fire the guest's next timer.
func (n *Node) arm(env *sim.Env, until int64) {
	switch {
	case until == 0:
		if n.until != 0 {
			env.Disarm(guestTimer)
		}
	case until != n.until || !env.Armed(guestTimer):
		env.Arm(guestTimer, time.Duration(until-n.clock))
	}
	n.until = until
}
