package workload_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// server is an API server that answers the n-th LIST as the n-th script entry
// says: nil is never.
type server struct {
	script []sim.Payload
	asked  []sim.Time
}

func (s *server) Start(*sim.Env) {}
func (s *server) Receive(env *sim.Env, m *sim.Message) {
	if _, ready := m.Payload.(*wire.ReadyzRequest); ready {
		env.Send(m.Conn, &wire.ReadyzResponse{})
		return
	}
	n := len(s.asked)
	s.asked = append(s.asked, env.Now())
	if n < len(s.script) && s.script[n] != nil {
		env.Send(m.Conn, s.script[n])
	}
}
func (s *server) Fire(*sim.Env, sim.Timer)   {}
func (s *server) Run(*sim.Env, sim.Task)     {}
func (s *server) TaskName(sim.Task) string   { return "" }
func (s *server) TimerName(sim.Timer) string { return "" }

type lazy struct{}

func (lazy) Pick(*sim.World, []sim.Action) int        { return 0 }
func (lazy) Choose(_ *sim.World, _ int, _ string) int { return 0 }

func TestAPollerAsksAgainUntilItIsServed(t *testing.T) {
	served := &wire.ListResponse{ResourceVersion: 5}
	script := []sim.Payload{
		&wire.Error{Code: wire.TooManyRequests, RetryAfter: 3},
		&wire.Error{Code: wire.Unavailable},
		nil, // it loses patience after 10 s
		served,
		served,
	}
	for _, honours := range []bool{true, false} {
		s := &server{script: script}
		p := new(workload.Poller)
		p.Reset("poller", workload.PollerPlan{
			To: 1, List: &wire.ListRequest{Prefix: "/registry/pods/", ResourceVersion: wire.Unset},
			Think: sim.Delay{Min: time.Second, Max: time.Second}, Patience: 10 * time.Second,
			HonoursRetryAfter: honours, Pause: 10 * time.Millisecond,
		})
		w := sim.NewWorld(sim.Options{Mode: sim.Timed})
		w.Add("server", s)
		w.Add("poller", p)
		w.Start(lazy{})
		for w.Now() < sim.Time(16*time.Second) && w.Step(lazy{}) {
		}
		after := sim.Time(10 * time.Millisecond)
		if honours {
			after = sim.Time(3 * time.Second)
		}
		first := sim.Time(time.Second)
		second := first + after
		third := second + sim.Time(10*time.Millisecond)
		fourth := third + sim.Time(10*time.Second+10*time.Millisecond)
		fifth := fourth + sim.Time(time.Second)
		require.Equal(t, []sim.Time{first, second, third, fourth, fifth}, s.asked[:5], "honours %v", honours)
		var endings []workload.Ending
		for _, a := range p.Attempts()[:5] {
			endings = append(endings, a.Ending)
		}
		require.Equal(t, []workload.Ending{workload.Refused, workload.Refused, workload.Abandoned, workload.Served, workload.Served}, endings)
		require.Equal(t, first, p.Attempts()[3].Wanted, "it has wanted this since then")
		require.Equal(t, fifth, p.Attempts()[4].Wanted)
	}
}
