package races

import (
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

// branch is one state of the search: a world, and how far the clients have got.
type branch struct {
	world *sim.World
	// at is the number of moments that have come.
	at int
	// taken is, by client, how many answers the world has given.
	taken []int
	// read is, by client, how many of them have come in moments up to at.
	read []int
	// streams are the connections of those clients that have one.
	streams []sim.Conn
}

func (b *branch) clone() (*branch, error) {
	w, err := b.world.Clone()
	if err != nil {
		return nil, err
	}
	return &branch{
		world: w, at: b.at,
		taken: slices.Clone(b.taken), read: slices.Clone(b.read), streams: slices.Clone(b.streams),
	}, nil
}

// key tells states apart. What was read follows from at.
func (b *branch) key() (uint64, error) {
	f, err := b.world.Fingerprint()
	if err != nil {
		return 0, err
	}
	d := sim.NewDigest.Word(f).Int(int64(b.at))
	for _, n := range b.taken {
		d = d.Int(int64(n))
	}
	return d.Sum(), nil
}

// settle lets happen what is no choice: what the clients do, and what is prompt. It
// returns what a client was sent and has not seen in the recording, nil if there is no
// such thing.
func (s *search) settle(b *branch) *Contradiction {
	for {
		if wrong := s.take(b); wrong != nil {
			return wrong
		}
		if !s.goOn(b) && !s.doPrompt(b) {
			return nil
		}
	}
}

// doPrompt does a prompt action. It returns false if there is none.
func (s *search) doPrompt(b *branch) bool {
	if s.recording.Prompt == nil {
		return false
	}
	enabled := s.recordedActions(b.world)
	i := slices.IndexFunc(enabled, func(a sim.Action) bool { return s.recording.Prompt(b.world, a) })
	if i < 0 {
		return false
	}
	var given explore.Combination
	b.world.Do(&given, enabled[i])
	if given.Next() {
		panic("races: a prompt action asks")
	}
	return true
}

// take has the clients take all that is on its way to them.
func (s *search) take(b *branch) *Contradiction {
	for {
		deliver, client := s.incoming(b.world)
		if client < 0 {
			return nil
		}
		m := b.world.Pending(deliver)
		expected := s.answers[client]
		switch n := b.taken[client]; {
		case n < len(expected):
			if sum(m.Payload) != expected[n].sum {
				return &Contradiction{At: b.at, Client: client, Sent: m.Payload, Recorded: expected[n].payload}
			}
			b.taken[client]++
		case s.recording.AtRest:
			return &Contradiction{At: b.at, Client: client, Sent: m.Payload}
		}
		b.world.Do(&explore.Combination{}, deliver)
	}
}

// incoming is a delivery to a client, whose index is negative if there is none.
func (s *search) incoming(w *sim.World) (sim.Action, int) {
	for _, a := range w.Enabled() {
		if a.Kind == sim.Deliver {
			if c := s.clientOf(a.Node); c >= 0 {
				return a, c
			}
		}
	}
	return sim.Action{}, -1
}

func (s *search) clientOf(n sim.NodeID) int {
	return slices.IndexFunc(s.recording.Clients, func(c Client) bool { return c.Node == n })
}

// goOn lets the next moment come. It returns false if that is the receipt of
// something that was not sent yet, or if there is none.
func (s *search) goOn(b *branch) bool {
	if b.at == len(s.recording.Moments) {
		return false
	}
	m := &s.recording.Moments[b.at]
	if !m.Sent {
		if b.read[m.Client] == b.taken[m.Client] {
			return false
		}
		b.read[m.Client]++
		b.at++
		return true
	}
	c := &s.recording.Clients[m.Client]
	b.world.Admit(&explore.Combination{}, c.Node, func(env *sim.Env) {
		if !c.Stream {
			env.Call(c.Server, m.Payload)
			return
		}
		if b.streams[m.Client] == sim.NoConn {
			b.streams[m.Client] = env.Open(c.Server)
		}
		env.Send(b.streams[m.Client], m.Payload)
	})
	b.at++
	return true
}
