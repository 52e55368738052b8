package etcdnode

import (
	"fmt"
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// held is what a guest has for its watches: streams that are open, responses in their channels, watchers that are not
// synced, and compactions that are not done.
type held struct{ streams, responses, unsynced, compactions int }

func readHeld(r *protocol.Reader) held {
	return held{streams: int(r.Int()), responses: int(r.Int()), unsynced: int(r.Int()), compactions: int(r.Int())}
}

// String says what is on its way to the watches.
func (h held) String() string {
	return fmt.Sprintf("%s, %s not synced, %s in watch channels", counted(h.streams, "watch stream"), counted(h.unsynced, "watcher"), counted(h.responses, "response"))
}

func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// inspect is the message that asks the guest what it has.
var inspect = new(protocol.Writer).Begin(protocol.Inspect, 0).Bytes

// look is what the guest has for its watches now. A clone is asked, so that the guest does the same whether that is
// told or not.
func (n *Node) look() held {
	var asks Node
	if _, err := n.guest.Clone().Run(&asks, n.clock, inspect); err != nil {
		panic(err)
	}
	return asks.held
}

// Show implements sim.Visible. A run that is shown is observed: what was noted last is of the last step of the guest,
// and stays if the guest crashes.
func (n *Node) Show(visit sim.PartVisitor) {
	n.server.Show(visit)
	visit("watch streams", sim.Entry{Text: strconv.Itoa(n.noted.streams)})
	visit("watchers not synced", sim.Entry{Text: strconv.Itoa(n.noted.unsynced)})
	visit("responses in watch channels", sim.Entry{Text: strconv.Itoa(n.noted.responses)})
}

// Held implements program.Node: the guest has the watches. What a stream keeps for watches that have ended is not seen.
func (n *Node) Held() etcd.Held {
	h := n.server.Held()
	h.Streams, h.Waiting = n.held.streams, n.held.responses+n.held.unsynced
	return h
}

// rests asks the guest whether its next timer will find nothing to do: syncWatchersLoop ticks without end, and the
// turns in which it finds every watcher synced are left out, as those of the simulated one are. With a clock time goes
// on anyway. A stream whose progress ticker was given an interval has something to do.
func (n *Node) rests(env *sim.Env) (bool, error) {
	if env.Mode() != sim.Untimed || n.cfg.Watch.ProgressNotifyInterval > 0 {
		return false, nil
	}
	runnable := n.runnable
	n.lets, n.yields = false, false
	_, err := n.guest.Run(n, n.clock, inspect)
	n.runnable = runnable
	return n.held.unsynced == 0 && n.held.compactions == 0, err
}
