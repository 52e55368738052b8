package clusternode

import (
	"slices"
	"strings"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// order is the message by which a fault of a scenario reaches a member. Nothing waits for the answer.
type order struct {
	label string
	do    func(n *Node, env *sim.Env, conn sim.Conn)
}

// Digest implements sim.Payload.
func (o *order) Digest(d sim.Digest) sim.Digest { return d.Text("order").Text(o.label) }

// Label implements sim.Payload.
func (o *order) Label() string { return o.label }

// ordered is a fault that is an order to members, where ready says that it makes a difference to each.
type ordered struct {
	order
	name  string
	nodes []sim.NodeID
	ready func(*Node) bool
}

// Name implements sim.Fault.
func (f *ordered) Name() string { return f.name }

// Ready implements sim.Fault.
func (f *ordered) Ready(w *sim.World) bool {
	return !slices.ContainsFunc(f.nodes, func(n sim.NodeID) bool {
		m := w.Node(n).(*Node)
		return !m.alive() || !f.ready(m)
	})
}

// Strike implements sim.Fault.
func (f *ordered) Strike(env *sim.Env) {
	for _, n := range f.nodes {
		f.send(env, n)
	}
}

func (o *order) send(env *sim.Env, to sim.NodeID) { env.Close(env.Call(to, o)) }

// Orders makes the faults of scenarios that are orders to members.
type Orders struct{}

// LoseLeader implements faults.Orders: no member hears another one. One that leads resigns after an election timeout.
func (Orders) LoseLeader(members []sim.NodeID, label string, until sim.Time) sim.Fault {
	return &ordered{
		name: "no leader in " + label, nodes: members, ready: func(n *Node) bool { return !n.alone },
		order: order{"no message of other members", func(n *Node, env *sim.Env, _ sim.Conn) {
			n.alone = true
			n.lasts(env, until)
		}},
	}
}

// ChangeLeader implements faults.Orders: the leader is asked to hand over to another member.
func (Orders) ChangeLeader(members []sim.NodeID, label string) sim.Fault {
	return &changeLeader{members, label}
}

type changeLeader struct {
	members []sim.NodeID
	label   string
}

// Name implements sim.Fault.
func (f *changeLeader) Name() string { return "leader change of " + f.label }

// Ready implements sim.Fault.
func (f *changeLeader) Ready(w *sim.World) bool {
	return f.leader(w.Node) >= 0
}

// leader is the place of the member that has led in the newest term, -1 if none runs that has led.
func (f *changeLeader) leader(node func(sim.NodeID) sim.Node) int {
	at, newest := -1, uint64(0)
	for i, id := range f.members {
		if n := node(id).(*Node); n.State == Running && len(n.Led) > 0 && n.Led[len(n.Led)-1] > newest {
			at, newest = i, n.Led[len(n.Led)-1]
		}
	}
	return at
}

// Strike implements sim.Fault.
func (f *changeLeader) Strike(env *sim.Env) {
	leader := f.leader(env.Node)
	next := (leader + 1 + env.Choose(len(f.members)-1, "next leader")) % len(f.members)
	id := env.Node(f.members[next]).(*Node).ID
	move := order{"move the leader", func(n *Node, env *sim.Env, conn sim.Conn) {
		(&Request{Op: protocol.OpMoveLeader, Member: id}).write(n.out.Begin(protocol.Do, uint32(conn)))
		n.run(env, n.out.Bytes)
	}}
	move.send(env, f.members[leader])
}

// Failover implements faults.Orders: the machine of a member is lost. A quorum stays.
func (Orders) Failover(member sim.NodeID, label string) sim.Fault {
	return &failover{sim.RestartProcess{Nodes: []sim.NodeID{member}, Label: label}}
}

type failover struct{ sim.RestartProcess }

// Name implements sim.Fault.
func (f *failover) Name() string { return "failover " + f.Label }

// Ready implements sim.Fault.
func (f *failover) Ready(w *sim.World) bool {
	n := w.Node(f.Nodes[0]).(*Node)
	left := 0
	for _, p := range n.cfg.Peers {
		if !w.Node(p.Node).(*Node).Gone {
			left++
		}
	}
	return !n.Gone && 2*(left-1) > len(n.cfg.Peers)
}

// Strike implements sim.Fault.
func (f *failover) Strike(env *sim.Env) {
	env.Node(f.Nodes[0]).(*Node).Gone = true
	f.RestartProcess.Strike(env)
}

// EndStream implements faults.Orders.
func (Orders) EndStream(member sim.NodeID, label string, from []sim.NodeID) sim.Fault {
	return &ordered{
		name: "end of stream " + label, nodes: []sim.NodeID{member}, ready: func(n *Node) bool { return len(n.watches(from)) > 0 },
		order: order{"end of stream", func(n *Node, env *sim.Env, _ sim.Conn) {
			for _, c := range n.watches(from) {
				env.Close(c)
				if m := n.ended(c); n.alive() {
					n.run(env, m)
				}
			}
		}},
	}
}

// Clog implements faults.Orders: what etcd would send on the streams finds no room.
func (Orders) Clog(member sim.NodeID, label string, from []sim.NodeID, until sim.Time) sim.Fault {
	return &ordered{
		name: "clog " + label, nodes: []sim.NodeID{member}, ready: func(n *Node) bool { return n.clogged == nil },
		order: order{"clog", func(n *Node, env *sim.Env, _ sim.Conn) {
			noteClogged.Say(env)
			n.clogged = from
			n.lasts(env, until)
		}},
	}
}

// Defragment implements faults.Orders: what Defragment syncs takes until then, with the backend locked.
func (Orders) Defragment(member sim.NodeID, label string, until sim.Time) sim.Fault {
	return &ordered{
		name: "defragmentation of " + label, nodes: []sim.NodeID{member}, ready: func(n *Node) bool { return !n.defragments },
		order: order{"Defragment", func(n *Node, env *sim.Env, conn sim.Conn) {
			n.defragments = true
			n.lasts(env, until)
			(&Request{Op: protocol.OpDefragment}).write(n.out.Begin(protocol.Do, uint32(conn)))
			n.run(env, n.out.Bytes)
		}},
	}
}

// servesCall is how the functions begin of goroutines that serve one call each.
const servesCall = "main.(*member).do."

// watches are the streams of watches of these clients.
func (n *Node) watches(of []sim.NodeID) (all []sim.Conn) {
	for _, s := range n.serves {
		switch s.request.(type) {
		case *wire.WatchCreateRequest, *wire.WatchCancelRequest, *wire.WatchProgressRequest:
			if slices.Contains(of, s.from) {
				all = append(all, s.conn)
			}
		}
	}
	return all
}

// isHeld reports whether a goroutine waits for the end of a defragmentation.
func (n *Node) isHeld(function string) bool {
	return n.defragments && strings.HasPrefix(function, servesCall)
}

// lasts has what an order began end at a time.
func (n *Node) lasts(env *sim.Env, until sim.Time) {
	n.calmAt = until
	env.Arm(timerCalm, max(0, until.Sub(env.Now())))
}

// calm ends what orders began.
func (n *Node) calm(env *sim.Env) {
	clogged, behind := n.watches(n.clogged), n.behind
	n.clogged, n.defragments, n.alone, n.behind = nil, false, false, nil
	for i := range behind {
		n.Receive(env, &behind[i])
	}
	for _, c := range clogged {
		n.Drained(env, c)
	}
	if n.alive() {
		n.run(env, nil)
	}
}

// Leads is the newest term of which the member has a leader, or is that, with the last message that said so, 0 if it
// has not heard of one for half an election timeout.
func (n *Node) Leads(now sim.Time) uint64 {
	if now.Sub(n.heard) > electionTimeout/2 {
		return 0
	}
	return n.term
}

// electionTimeout is etcd's default.
const electionTimeout = time.Second
