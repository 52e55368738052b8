package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
)

// chatter opens a stream to a peer and counts what it gets.
type chatter struct {
	to   sim.NodeID
	conn sim.Conn
	got  int
}

func (c *chatter) Start(env *sim.Env) {
	if c.to != 0 {
		c.conn = env.Open(c.to)
		env.Send(c.conn, word("before"))
	}
}
func (c *chatter) Receive(*sim.Env, *sim.Message) { c.got++ }
func (c *chatter) Fire(env *sim.Env, _ sim.Timer) {}
func (c *chatter) Run(env *sim.Env, _ sim.Task)   {}
func (c *chatter) TaskName(sim.Task) string       { return "" }
func (c *chatter) TimerName(sim.Timer) string     { return "" }

type word string

func (w word) Digest(d sim.Digest) sim.Digest { return d.Text(string(w)) }
func (w word) Label() string                  { return string(w) }

// scripted takes the first action of a kind.
type scripted struct{ kind sim.Kind }

func (s *scripted) Pick(_ *sim.World, all []sim.Action) int {
	for i, a := range all {
		if a.Kind == s.kind {
			return i
		}
	}
	return 0
}
func (*scripted) Choose(*sim.World, int, string) int { return 0 }

func kinds(all []sim.Action) (out []sim.Kind) {
	for _, a := range all {
		out = append(out, a.Kind)
	}
	return out
}

// What is sent across a partition waits until it is over, and no connection breaks.
func TestPartitionHoldsMessagesBack(t *testing.T) {
	for name, other := range map[string][]sim.NodeID{"from one": {2}, "from all": nil} {
		t.Run(name, func(t *testing.T) {
			w := sim.NewWorld(sim.Options{})
			a, b, c := &chatter{to: 2}, &chatter{}, &chatter{to: 2}
			w.Add("a", a)
			w.Add("b", b)
			w.Add("c", c)
			w.AddFault(&sim.Partition{One: []sim.NodeID{1}, Other: other, Label: "a"}, sim.Budget{Times: 2})
			s := &scripted{sim.Inject}
			w.Start(s)
			require.True(t, w.Step(s))
			// Only c reaches b, and the partition may end.
			require.ElementsMatch(t, []sim.Kind{sim.Deliver, sim.Inject}, kinds(w.Enabled()))
			s.kind = sim.Deliver
			require.True(t, w.Step(s))
			require.Equal(t, 1, b.got)
			require.Equal(t, []sim.Kind{sim.Inject}, kinds(w.Enabled()))
			require.True(t, w.Step(s))
			require.True(t, w.Step(s))
			require.Equal(t, 2, b.got)
			require.False(t, w.Step(s))
			require.True(t, w.IsOpen(a.conn))
		})
	}
}
