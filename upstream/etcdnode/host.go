package etcdnode

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/sim"

	"github.com/watchbed/watchbed/upstream/engine"
	"github.com/watchbed/watchbed/upstream/node"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// Pick implements engine.Host. Each goroutine in turn is a question of its own, so that a recording names
// those that were passed over. The first that is not passed over runs, and after it none, unless what has the
// messages of the host waits for another one.
func (n *Node) Pick(runnable []engine.Goroutine, receives bool) int {
	if !n.lets && receives {
		n.runnable = true
		return engine.None
	}
	n.lets = false
	picked := n.Among(runnable)
	n.Note(runnable[picked])
	return picked
}

// Lock implements engine.Host. What gives way goes on in a later step.
func (n *Node) Lock(g engine.Goroutine) bool { return n.yields && n.Step.Lock(g) }

// CanSend implements engine.Host: a stream that the guest does not know yet to have ended takes all.
func (n *Node) CanSend(conn uint32) bool {
	i := n.index(sim.Conn(conn))
	return i < 0 || n.Env.CanSend(sim.Conn(conn)) && !n.server.HoldsBack(n.Env, n.streams[i].from)
}

// Send implements engine.Host: a message of the guest becomes one of the world.
func (n *Node) Send(message []byte) {
	r := protocol.Reader{Bytes: message}
	kind, number := r.Begin()
	switch kind {
	case protocol.Shown:
		n.held = readHeld(&r)
		return
	case protocol.Disk:
		n.disk = bytes.Clone(r.Bytes)
		return
	case protocol.Reopened:
		n.kept = int(r.Int())
		return
	}
	conn := sim.Conn(number)
	if n.index(conn) < 0 {
		// Its client is gone, and the guest does not know yet.
		return
	}
	switch kind {
	case protocol.WatchResponse:
		n.Env.Send(conn, node.ReadWatchResponse(&r))
	case protocol.Closed:
		n.closed(conn)
		n.Env.Close(conn)
	default:
		panic(fmt.Sprintf("etcdnode: the guest sent a message of kind %d", kind))
	}
}

// ran is the note of which goroutine ran, if one did, and of what the guest has for its watches then.
type ran struct {
	goroutines []engine.Goroutine
	held       held
}

// note says which goroutine ran, and what the guest has for its watches if that is new.
func (n *Node) note(env *sim.Env) {
	if !env.Noting() {
		return
	}
	now := n.look()
	if len(n.Ran) > 0 || now != n.noted {
		env.Note(ran{slices.Clone(n.Ran), now})
	}
	n.noted = now
}

// Text implements sim.Note.
func (r ran) Text(*sim.World) string {
	text := ""
	if len(r.goroutines) > 0 {
		text = "runs " + node.ByFunction(r.goroutines[0]) + "; "
	}
	return text + r.held.String()
}
