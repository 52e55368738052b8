package clusternode

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/engine"
	"github.com/watchbed/watchbed/upstream/node"
	"github.com/watchbed/watchbed/upstream/protocol"
)

var (
	_ engine.Disked = (*Node)(nil)
	_ engine.Random = (*Node)(nil)
)

// Files implements engine.Disked.
func (n *Node) Files() engine.Files { return n.disk }

// CanSend implements engine.Host.
func (n *Node) CanSend(conn uint32) bool {
	return n.Env.CanSend(sim.Conn(conn)) && !slices.Contains(n.watches(n.clogged), sim.Conn(conn))
}

// Pick implements engine.Host. A goroutine that syncs a file runs when the disk is done.
func (n *Node) Pick(runnable []engine.Goroutine, receives bool) int {
	n.places, n.able = n.places[:0], n.able[:0]
	for i, g := range runnable {
		if !receives || (!g.Syncs || n.isSynced(g)) && !(n.starves == one && isSame(g, n.starved)) {
			n.places, n.able = append(n.places, i), append(n.able, g)
		}
	}
	if receives && n.starves == next && len(n.able) > 1 {
		n.starve(n.Env.Choose(len(n.able), "goroutine that gets no processor"))
	}
	if receives && (len(n.able) == 0 || n.cfg.Late && n.pausing.Over(&n.Step)) {
		n.waits = len(n.able) > 0
		for _, g := range runnable {
			if g.Syncs && !n.isSynced(g) && !n.isHeld(g.Function) {
				n.syncing = append(n.syncing, g)
			}
		}
		return engine.None
	}
	at := 0
	if n.cfg.Goroutines {
		at = n.Among(n.able)
	}
	picked := runnable[n.places[at]]
	if i := n.syncedAt(picked); picked.Syncs && i >= 0 {
		n.synced = slices.Delete(n.synced, i, i+1)
	}
	return n.places[at]
}

// isSynced reports whether the disk is done for a goroutine that syncs. A disk that takes no time is.
func (n *Node) isSynced(g engine.Goroutine) bool {
	return (n.cfg.Sync == 0 && !n.disk.Stalled() || n.syncedAt(g) >= 0) && !n.isHeld(g.Function)
}

func (n *Node) syncedAt(g engine.Goroutine) int {
	return slices.IndexFunc(n.synced, func(s engine.Goroutine) bool { return isSame(s, g) })
}

func isSame(a, b engine.Goroutine) bool {
	return a.Function == b.Function && a.Site == b.Site && a.Ordinal == b.Ordinal
}

// starve has the goroutine at that place of those that can run get no processor.
func (n *Node) starve(at int) {
	n.Env.Cover(coverStarved)
	n.starves, n.starved = one, n.able[at]
	n.places, n.able = slices.Delete(n.places, at, at+1), slices.Delete(n.able, at, at+1)
	noteStarved.Say(n.Env, node.Plain(node.ByFunction(n.starved)))
}

// timeouts is how many election timeouts raft draws one of.
const timeouts = 10

// Random implements engine.Random. One byte is an election timeout, which is a choice as long as things break, or a
// letter of a token. Later it follows from the seed, as names of requests do: that an election ends rests on timeouts
// that are not always the worst.
func (n *Node) Random(g engine.Goroutine, p []byte) {
	timeout := len(p) == 1 && g.Function != "main.(*member).do.func1"
	if timeout && n.Env.Phase() == sim.Safety {
		p[0] = byte(n.Env.Choose(timeouts, "election timeout"))
		return
	}
	for i := range p {
		n.random++
		x := (n.seed + n.random) * 0x9E3779B97F4A7C15
		x ^= x >> 29
		x *= 0xBF58476D1CE4E5B9
		p[i] = byte(x >> 32)
	}
	if timeout {
		p[0] %= timeouts
	}
}

// Send implements engine.Host: a message of the guest becomes one of the world.
func (n *Node) Send(message []byte) {
	r := protocol.Reader{Bytes: message}
	kind, number := r.Begin()
	conn := sim.Conn(number)
	switch kind {
	case protocol.Raft:
		n.sendRaft(&r)
	case protocol.RaftSnapshot:
		to := n.place(uint64(r.Int()))
		p := &Snapshot{From: n.ID, Term: uint64(r.Int()), Index: uint64(r.Int()), Bytes: r.Text(), Database: r.Text(), Lies: n.Lies}
		if to >= 0 {
			n.Env.Cover(coverSnapshot)
			n.calls = append(n.calls, call{number, n.Env.Call(n.cfg.Peers[to].Node, p), true})
		}
	case protocol.SnapshotSent:
		n.Env.Send(conn, &SnapshotTaken{r.Bool()})
	case protocol.PeerRequest:
		to := PlaceOf("http://"+r.Text(), len(n.cfg.Peers))
		p := &PeerRequest{Method: r.Text(), Path: r.Text(), Body: r.Text(), Headers: readHeaders(&r)}
		if to >= 0 {
			n.calls = append(n.calls, call{number, n.Env.Call(n.cfg.Peers[to].Node, p), false})
		}
	case protocol.PeerResponse:
		n.Env.Send(conn, &PeerResponse{Status: int(r.Int()), Headers: readHeaders(&r), Body: r.Text()})
	case protocol.CloseStream:
		if i := slices.IndexFunc(n.calls, func(k call) bool { return k.number == number }); i >= 0 {
			n.Env.Close(n.calls[i].conn)
			n.calls = slices.Delete(n.calls, i, i+1)
		}
	case protocol.Gone:
		if to := n.place(uint64(r.Int())); to >= 0 {
			n.Env.Send(n.lane(to, protocol.LaneMessage), &Gone{n.ID})
		}
	case protocol.Started:
		n.State, n.Version = Joining, r.Text()
		noteServes.Say(n.Env, n.Version)
		n.asks = n.restores && n.bump > 0
	case protocol.Proposed:
		if n.cfg.Log != nil {
			n.proposed(conn, &r)
		}
	case protocol.Applied:
		if n.cfg.Log != nil {
			n.cfg.Log.applied(n.cfg.Self, uint64(r.Int()), r.Bool())
		}
	case protocol.Located:
		n.located(&r)
	case protocol.Ready:
		// etcd does not persist that the removal of the others is committed before it leads: a process that starts
		// without --force-new-cluster until then asks them for votes.
		n.State, n.forces = Running, false
		noteJoined.Say(n.Env)
	case protocol.Stopped:
		n.stopped(r.Text())
	case protocol.Logged:
		if n.Env.Noting() {
			noteLogged.Say(n.Env, strings.TrimSpace(r.Text()))
		}
	default:
		n.reply(kind, conn, &r)
	}
}

// located takes what a process says of where a member is, of itself first.
func (n *Node) located(r *protocol.Reader) {
	id, first := uint64(r.Int()), len(n.known) == 0
	for range r.Int() {
		if place := PlaceOf(r.Text(), len(n.cfg.Peers)); place >= 0 {
			n.learn(id, place)
		}
	}
	if first {
		n.ID = id
	}
}

// reply answers a client.
func (n *Node) reply(kind protocol.Kind, conn sim.Conn, r *protocol.Reader) {
	i := n.serving(conn)
	if uint32(conn) == ownCall {
		n.hasRestored(kind, r)
		return
	}
	switch kind {
	case protocol.WatchResponse:
		p := node.ReadWatchResponse(r)
		n.tells(p)
		n.Env.Send(conn, p)
		return
	case protocol.Closed:
		n.Env.Close(conn)
	case protocol.Did:
		p := readResponse(r)
		if k := slices.Index(n.versions, conn); k >= 0 {
			n.versions = slices.Delete(n.versions, k, k+1)
			p = &wire.StatusResponse{Version: p.(*Response).Status.Version}
		}
		n.tells(p)
		n.Env.Send(conn, p)
	case protocol.Failed:
		p := failed(r)
		if n.cfg.Log != nil && i >= 0 && p.Code == wire.Unavailable {
			n.cfg.Log.failed = append(n.cfg.Log.failed, n.serves[i].request)
		}
		if IsFull(p) {
			// It may have happened: what is proposed before the alarm is there is written, and refused then
			// (quotaApplierV3).
			p.Code = wire.Unavailable
			n.Env.Cover(coverNoSpace)
			n.Full++
		}
		n.Env.Send(conn, p)
	default:
		panic(fmt.Sprintf("clusternode: the guest sent a message of kind %d", kind))
	}
	if i >= 0 {
		n.serves = slices.Delete(n.serves, i, i+1)
	}
}

// hasRestored takes what the member has that was made out of a copy.
func (n *Node) hasRestored(kind protocol.Kind, r *protocol.Reader) {
	if kind != protocol.Did {
		panic(fmt.Errorf("a member does not say what it has restored: %s", failed(r).Message))
	}
	p := readResponse(r).(*wire.RangeResponse)
	if p.Revision < int64(n.bump) {
		panic(errors.New("the guest knows no snapshot restore: run \"make upstream\" again"))
	}
	if p.Revision-int64(n.bump) < n.told {
		n.Env.Cover(coverBumped)
	}
	n.Restored, n.restores, n.backup = p, false, backup{}
	noteBumped.Say(n.Env, p.Revision, len(p.Kvs))
}

// tells notes the revision that a client is told.
func (n *Node) tells(p sim.Payload) {
	switch p := p.(type) {
	case *wire.WatchResponse:
		n.told = max(n.told, p.Revision)
	case *wire.RangeResponse:
		n.told = max(n.told, p.Revision)
	case *wire.PutResponse:
		n.told = max(n.told, p.Revision)
	case *wire.DeleteRangeResponse:
		n.told = max(n.told, p.Revision)
	case *wire.TxnResponse:
		n.told = max(n.told, p.Revision)
	}
}

// IsFull reports whether a member refuses a write as there is no space.
func IsFull(p *wire.Error) bool { return strings.Contains(p.Message, "database space exceeded") }

func (n *Node) sendRaft(r *protocol.Reader) {
	to := n.place(uint64(r.Int()))
	m := &Raft{
		From: n.ID, Lane: r.Byte(), Type: int(r.Int()), Term: uint64(r.Int()), Index: uint64(r.Int()), Entries: int(r.Int()),
		Commit: uint64(r.Int()), Reject: r.Bool(), Bytes: r.Text(),
	}
	if to < 0 {
		return
	}
	switch m.Name() {
	case "MsgApp", "MsgHeartbeat":
		n.term, n.heard = max(n.term, m.Term), n.Env.Now()
		if k := len(n.Led); k == 0 || n.Led[k-1] != m.Term {
			n.Led = append(n.Led, m.Term)
		}
	case "MsgVote", "MsgPreVote":
		n.Env.Cover(coverElection)
	case "MsgAppResp":
		if m.Reject {
			n.Env.Cover(coverRejected)
			n.Rejected++
		}
	}
	n.Env.Send(n.lane(to, m.Lane), m)
}

// lane is the stream to another member, which is opened if there is none.
func (n *Node) lane(to int, of byte) sim.Conn {
	l := &n.lanes[2*to+int(of)]
	if l.conn == sim.NoConn {
		l.conn = n.Env.Open(n.cfg.Peers[to].Node)
	}
	return l.conn
}
