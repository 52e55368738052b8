package sim

// NodeID numbers the nodes of a world in the order in which they were added.
// Node 0 is the world itself: it acts when a fault strikes.
type NodeID uint16

// Conn is one connection as both its ends see it: a gRPC stream or one unary
// call. Numbers are reused after a hang-up, so a Conn carries the generation
// of its number; sending on one that is gone is silently dropped, as a write
// to a dead TCP connection is.
type Conn uint32

// NoConn is the zero Conn; no connection has it.
const NoConn Conn = 0

const connIndexBits = 16

func (c Conn) index() int { return int(c & (1<<connIndexBits - 1)) }

// Payload is what a message says. Payloads are immutable once sent: the trace,
// clones of the world and the receiver share them.
type Payload interface {
	// Digest mixes everything in the payload into d.
	Digest(d Digest) Digest
	// Label is a short description for people: "Put /a=1".
	Label() string
}

// Bulky is a payload whose time on its way depends on how many objects are in it, if the
// node that sends it is paced (World.Pace).
type Bulky interface {
	Objects() int
}

// Message is a payload under way.
type Message struct {
	Payload  Payload
	Conn     Conn
	From, To NodeID
	// Cause is the operation or activity that led to this message, Ordinal its
	// number among that cause's messages. Together they name the message
	// independently of what other causes did before.
	Cause   Cause
	Ordinal int32
	due     Time
}

// Hangup is the payload that ends each lane of a connection that broke or was
// closed: what was sent before may have been lost when it broke.
type Hangup struct {
	// Broken is false if the peer closed the connection on purpose.
	Broken bool
}

func (h *Hangup) Digest(d Digest) Digest { return d.Text("hangup").Bool(h.Broken) }

// Label implements Payload.
func (h *Hangup) Label() string {
	if h.Broken {
		return "connection broken"
	}
	return "connection closed"
}

var (
	hangupBroken = &Hangup{Broken: true}
	hangupClosed = &Hangup{}
)

// Cause is why something happens: an operation of a client or an activity of a
// node. It is an index into a table of its world.
type Cause int32

type causeRecord struct {
	node     NodeID
	activity string
	seq      int
	sent     int32
}

// OmitNames has the world keep nothing that only replays, stories and figures need: names of causes and messages, the
// hash of the trace, and metrics. What happens in it stays the same. It and its clones count coverage points together.
// Call it before the nodes are added. It is for many worlds of which no story is told.
func (w *World) OmitNames() { w.nameless, w.untraced = true, true }

func (w *World) newCause(r causeRecord) Cause {
	if w.nameless {
		return 0
	}
	w.causes = append(w.causes, r)
	return Cause(len(w.causes) - 1)
}
