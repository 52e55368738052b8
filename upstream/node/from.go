package node

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// CanSend implements engine.Host: what is under way to clients has no bound.
func (*Node) CanSend(uint32) bool { return true }

// Send implements engine.Host: a message of the guest becomes one of the world.
func (n *Node) Send(message []byte) {
	r := protocol.Reader{Bytes: message}
	kind, number := r.Begin()
	switch kind {
	case protocol.Range:
		n.call(number, n.turn(n.cfg.KV), ReadRange(&r))
	case protocol.RangeStream:
		conn, p := n.Env.Open(n.turn(n.cfg.Etcd)), &wire.RangeStreamRequest{Range: ReadRange(&r)}
		n.Env.Send(conn, p)
		n.ranges = append(n.ranges, connection{number: number, conn: conn, asks: p})
	case protocol.Txn:
		n.call(number, n.turn(n.cfg.KV), readTxn(&r))
	case protocol.Open:
		n.open(number, r.Bool())
	case protocol.CreateWatch, protocol.CancelWatch, protocol.RequestProgress:
		n.sendOnStream(kind, number, &r)
	case protocol.CloseStream:
		n.closeStream(number)
	case protocol.Status:
		of, to := int(r.Int()), n.cfg.KV
		if n.cfg.CallsTakeTurns {
			to = n.cfg.WatchEndpoints[of]
		}
		n.call(number, to, &wire.StatusRequest{Endpoint: of})
	case protocol.Shown:
		n.shown = n.readShown(&r)
	default:
		n.reply(kind, sim.Conn(number), &r)
	}
}

// open opens a stream to etcd, at one member after the other.
func (n *Node) open(number uint32, requireLeader bool) {
	n.streams = append(n.streams, stream{connection{number: number, conn: n.Env.Open(n.nextEndpoint())}, requireLeader, false})
}

func (n *Node) call(number uint32, to sim.NodeID, p sim.Payload) {
	n.calls = append(n.calls, connection{number: number, conn: n.Env.Call(to, p), asks: p})
}

// nextEndpoint is the member whose turn it is.
func (n *Node) nextEndpoint() sim.NodeID {
	at := n.cfg.WatchEndpoints[n.opened%len(n.cfg.WatchEndpoints)]
	n.opened++
	return at
}

// turn is the member that takes a call: the one that takes all, unless they take turns.
func (n *Node) turn(all sim.NodeID) sim.NodeID {
	if n.cfg.CallsTakeTurns {
		return n.nextEndpoint()
	}
	return all
}

func (n *Node) sendOnStream(kind protocol.Kind, number uint32, r *protocol.Reader) {
	for i := range n.streams {
		s := &n.streams[i]
		if s.number != number {
			continue
		}
		leader := s.requireLeader && !s.used
		s.used = true
		n.Env.Send(s.conn, ReadWatchRequest(kind, r, leader))
	}
}

// closeStream gives up a call or a stream.
func (n *Node) closeStream(number uint32) {
	for _, of := range []*[]connection{&n.calls, &n.ranges} {
		for i, c := range *of {
			if c.number == number {
				n.Env.Close(c.conn)
				*of = slices.Delete(*of, i, i+1)
				return
			}
		}
	}
	for i := range n.streams {
		if n.streams[i].number == number {
			n.Env.Close(n.streams[i].conn)
			n.streams = append(n.streams[:i], n.streams[i+1:]...)
			return
		}
	}
}

// reply answers a client.
func (n *Node) reply(kind protocol.Kind, client sim.Conn, r *protocol.Reader) {
	switch kind {
	case protocol.Listed:
		n.Env.Send(client, n.readListed(r))
	case protocol.Got:
		n.Env.Send(client, n.readGot(r))
	case protocol.Wrote:
		n.Env.Send(client, &wire.ObjectResponse{Item: n.seen.current(readObject(r))})
	case protocol.Denied:
		n.Env.Send(client, &wire.Error{Code: wire.Code(r.Byte()), Message: r.Text(), ResourceVersion: r.Int()})
	case protocol.Event:
		n.Env.Send(client, n.readEvent(r))
	case protocol.Established:
		n.Env.Send(client, &wire.WatchEstablished{})
	case protocol.IsReady:
		n.Env.Send(client, &wire.ReadyzResponse{})
	case protocol.Failed:
		n.Env.Send(client, readError(r))
	case protocol.Closed:
		n.Env.Close(client)
	default:
		panic(fmt.Sprintf("node: the guest sent a message of kind %d", kind))
	}
}

// readTxn reads a transaction that changes a key if it has a certain mod revision.
func readTxn(r *protocol.Reader) *wire.TxnRequest {
	key := r.Text()
	txn := &wire.TxnRequest{Compare: []wire.Compare{{Key: key, Target: wire.CompareMod, Result: wire.CompareEqual, Operand: r.Int()}}}
	if r.Bool() {
		txn.Failure = []wire.RequestOp{{Range: &wire.RangeRequest{Key: key}}}
	}
	put, value := r.Bool(), r.Text()
	if put {
		txn.Success = []wire.RequestOp{{Put: &wire.PutRequest{Key: key, Value: value}}}
	} else {
		txn.Success = []wire.RequestOp{{DeleteRange: &wire.DeleteRangeRequest{Key: key}}}
	}
	return txn
}

// readObject reads an object. Kubernetes knows of no revision but its resourceVersion.
func readObject(r *protocol.Reader) *wire.KeyValue {
	return &wire.KeyValue{Key: r.Text(), Value: r.Text(), ModRevision: r.Int()}
}

func (n *Node) readListed(r *protocol.Reader) *wire.ListResponse {
	l := &wire.ListResponse{ResourceVersion: r.Int(), Continue: r.Text(), RemainingItemCount: r.Int(), Origin: wire.Origin(r.Byte())}
	for range r.Int() {
		l.Items = append(l.Items, n.seen.current(readObject(r)))
	}
	if r.Bool() {
		l.Shard = wire.Shard{By: r.Text(), From: uint64(r.Int()), To: uint64(r.Int())}
	}
	return l
}

func (n *Node) readGot(r *protocol.Reader) *wire.GetResponse {
	g := &wire.GetResponse{Origin: wire.Origin(r.Byte())}
	if r.Bool() {
		g.Item = n.seen.current(readObject(r))
	}
	return g
}

func (n *Node) readEvent(r *protocol.Reader) *wire.WatchEvent {
	e := &wire.WatchEvent{Type: wire.WatchEventType(r.Byte())}
	if e.Type == wire.Failed {
		e.Err = readError(r)
		return e
	}
	e.InitialEventsEnd = r.Bool()
	o := readObject(r)
	e.ResourceVersion = o.ModRevision
	switch e.Type {
	case wire.Bookmark:
	case wire.Deleted:
		e.Item = n.seen.before(o)
	default:
		e.Item = n.seen.current(o)
	}
	return e
}

func readError(r *protocol.Reader) *wire.Error {
	return &wire.Error{Code: wire.Code(r.Byte()), Message: r.Text(), RetryAfter: int(r.Int()), Continue: r.Text()}
}
