package etcdnode

import (
	"github.com/watchbed/watchbed/sim"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// lost is how many commits of the backend may not have taken place when the process is killed, with none.
const lost = 4

// Restart implements sim.Restarter: streams and what the guest has in memory are gone. It starts with what is on disk,
// and applies the entries of the raft log that the disk lacks before it serves clients, as etcd does, which publishes
// itself through the log.
func (n *Node) Restart(env *sim.Env) {
	n.hand(env, n.out.Begin(protocol.Crash, 0).Int(int64(env.Choose(lost, "commits that the disk lacks"))).Bytes)
	n.server.Restart(env)
	n.guest.Reset()
	n.streams, n.clock, n.until, n.runnable = n.streams[:0], 0, 0, false
	seed := env.Choose(seeds, "seed of the guest")
	w := n.out.Begin(protocol.Reopen, 0).Int(int64(seed)).Int(int64(n.cfg.Watch.ProgressNotifyInterval))
	n.hand(env, append(w.Bytes, n.disk...))
	for _, message := range n.log[n.kept:] {
		n.hand(env, message)
	}
	n.revision = n.server.Revision()
	n.follow(env)
}
