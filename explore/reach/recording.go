package reach

import "github.com/watchbed/watchbed/sim"

// Recording is what the clients of one server saw.
type Recording struct {
	// Server is the node that all clients talk to.
	Server  sim.NodeID
	Clients []Client
	// Moments are in real-time order.
	Moments []Moment
	// AtRest: after the last moment nothing more came, although nothing was left to
	// be done.
	AtRest bool
}

// Client is one client. Its node has to be in the world: one that takes what it is
// sent and does nothing.
type Client struct {
	Node sim.NodeID
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
type Idle struct{}

// Start implements sim.Node.
func (Idle) Start(*sim.Env) {}

// Receive implements sim.Node.
func (Idle) Receive(*sim.Env, *sim.Message) {}

// Fire implements sim.Node.
func (Idle) Fire(*sim.Env, sim.Timer) {}

// Run implements sim.Node.
func (Idle) Run(*sim.Env, sim.Task) {}

// TaskName implements sim.Node.
func (Idle) TaskName(sim.Task) string { return "" }

// TimerName implements sim.Node.
func (Idle) TimerName(sim.Timer) string { return "" }

// Clone implements sim.Cloner.
func (i Idle) Clone() sim.Node { return i }

// Fingerprint implements sim.Fingerprinter.
func (Idle) Fingerprint(d sim.Digest) sim.Digest { return d }
