package clientbed

import (
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/engine"
	"github.com/watchbed/watchbed/upstream/node"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// CanSend implements engine.Host: what is under way has no bound.
func (*Node) CanSend(uint32) bool { return true }

// Send implements engine.Host: a message of the guest becomes one of the world.
func (n *Node) Send(message []byte) {
	r := protocol.Reader{Bytes: message}
	kind, number := r.Begin()
	switch kind {
	case protocol.Do:
		n.call(number, node.ReadOp(&r))
	case protocol.Grant:
		n.call(number, &wire.LeaseGrantRequest{ID: r.Int(), TTL: r.Int()})
	case protocol.Revoke:
		n.call(number, &wire.LeaseRevokeRequest{ID: r.Int()})
	case protocol.KeepAlive:
		n.call(number, &wire.LeaseKeepAliveRequest{ID: r.Int()})
	case protocol.Open:
		n.watches = append(n.watches, connection{number, n.Env.Open(n.etcd), r.Bool()})
	case protocol.CreateWatch, protocol.CancelWatch, protocol.RequestProgress:
		n.sendOnStream(kind, number, &r)
	case protocol.CloseStream:
		n.close(number)
	case protocol.Did:
		n.Env.Send(sim.Conn(number), node.ReadDid(&r))
	case protocol.Failed:
		n.Env.Send(sim.Conn(number), &wire.Error{Code: wire.Code(r.Byte()), Message: r.Text()})
	default:
		panic(fmt.Sprintf("clientbed: the guest sent a message of kind %d", kind))
	}
}

func (n *Node) call(number uint32, p sim.Payload) {
	n.calls = append(n.calls, connection{number: number, conn: n.Env.Call(n.etcd, p)})
}

func (n *Node) sendOnStream(kind protocol.Kind, number uint32, r *protocol.Reader) {
	i := at(n.watches, inGuest(number))
	if i < 0 {
		return
	}
	s := &n.watches[i]
	leader := s.requireLeader
	s.requireLeader = false
	n.Env.Send(s.conn, node.ReadWatchRequest(kind, r, leader))
}

// close gives up a call or a stream.
func (n *Node) close(number uint32) {
	for _, list := range []*[]connection{&n.calls, &n.watches} {
		if i := at(*list, inGuest(number)); i >= 0 {
			n.Env.Close((*list)[i].conn)
			*list = append((*list)[:i], (*list)[i+1:]...)
			return
		}
	}
}

// Pick implements engine.Host.
func (n *Node) Pick(runnable []engine.Goroutine, _ bool) int {
	picked := n.Among(runnable)
	n.Note(runnable[picked])
	return picked
}

// Ran are the goroutines that were picked in a step, in order.
type Ran []engine.Goroutine

// Text implements sim.Note. Goroutines of clientv3 and of the guest itself are left out, unless there are no others.
func (r Ran) Text(*sim.World) string {
	names := r.names(func(g engine.Goroutine) bool {
		return !strings.HasPrefix(g.Function, "go.etcd.io/etcd/client/v3.") && !strings.HasPrefix(g.Function, "main.") && strings.Contains(g.Function, "/")
	})
	if len(names) == 0 {
		names = r.names(func(engine.Goroutine) bool { return true })
	}
	return "runs " + strings.Join(names, ", then ")
}

// names are those of some goroutines, each once where it was picked several times on end.
func (r Ran) names(of func(engine.Goroutine) bool) []string {
	var names []string
	for _, g := range r {
		if n := node.ByFunction(g); of(g) && (len(names) == 0 || names[len(names)-1] != n) {
			names = append(names, n)
		}
	}
	return names
}
