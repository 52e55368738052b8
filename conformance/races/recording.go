package races

import "github.com/watchbed/watchbed/sim"

// Recording is what the clients of a cluster saw.
type Recording struct {
	Clients []Client
	// Moments are in real-time order.
	Moments []Moment
	// AtRest: after the last moment nothing more came, although nothing was left to
	// be done.
	AtRest bool
	// Prompt says of an action that the search may have it happen as soon as it can,
	// because nothing is lost: whatever clients can be sent if it happens later they can
	// be sent then, too. Such an action must ask nothing. It may be nil.
	Prompt func(*sim.World, sim.Action) bool
	// Hopeless says of a world that no schedule from there on gives what was recorded,
	// although no client was sent anything wrong yet: a server has something in its hands
	// that it will send, and that is not in the recording. The clients have been given so
	// many answers, by their indices. It may be nil.
	Hopeless func(w *sim.World, given []int) bool
}

// Client is one client. Its node has to be in the world: one that takes what it is
// sent and does nothing.
type Client struct {
	Node sim.NodeID
	// Server is the node that the client talks to.
	Server sim.NodeID
	// Stream: all that the client sends goes into one stream, and what comes back is
	// no answer to one message. Otherwise each message is a call, which has an answer.
	Stream bool
}

// Moment is one thing that a client did or saw.
type Moment struct {
	// Client is an index into Recording.Clients.
	Client int
	// Sent: the client was about to send it. Otherwise the client had received it.
	Sent    bool
	Payload sim.Payload
}

// Idle is a node for a client: the search sends and takes in its name.
type Idle struct{ sim.Idle }

func (i Idle) Clone() sim.Node { return i }

func (Idle) Fingerprint(d sim.Digest) sim.Digest { return d }
