package toys

import "github.com/watchbed/watchbed/sim"

// Echo is twelve streams on which messages go back and forth for 250 steps: about
// as much is enabled, and for as long, as in a scenario. It is for benchmarks.
type Echo struct{ Idle }

// echoSteps is the length of a run.
const echoSteps = 250

var ball sim.Payload = Text("ball")

// Start implements sim.Node.
func (e *Echo) Start(env *sim.Env) {
	for range 12 {
		env.Send(env.Open(1), ball)
	}
}

// Receive implements sim.Node.
func (e *Echo) Receive(env *sim.Env, m *sim.Message) { env.Send(m.Conn, m.Payload) }

// Build implements explore.Subject.
func (e *Echo) Build(w *sim.World) { w.Add("echo", e) }

// Over implements explore.Subject.
func (e *Echo) Over(w *sim.World) bool { return w.Steps() == echoSteps }
