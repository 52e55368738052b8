package races

import (
	"fmt"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
)

// simulated is the simulated server with its one client. Time stands still.
type simulated struct {
	world          *sim.World
	server, client sim.NodeID
}

// simulate is a server with an empty store at a revision, which it is compacted at unless
// that is the first one.
func simulate(cfg etcd.Config, revision int64) *simulated {
	cfg.InitialRevision = revision
	if revision > 1 {
		cfg.Compacted = revision
	}
	w := sim.NewWorld(sim.Options{Mode: sim.Untimed, Untraced: true})
	s := &simulated{world: w, server: w.Add("etcd", etcd.New(cfg)), client: w.Add("client", Idle{})}
	w.Start(s)
	return s
}

// call lets the server do whatever it can but wait, until the request is answered. The chunks of a RangeStream are one
// answer.
func (s *simulated) call(p sim.Payload) (sim.Payload, error) {
	_, streams := p.(*wire.RangeStreamRequest)
	s.world.Admit(s, s.client, func(env *sim.Env) {
		if streams {
			env.Send(env.Open(s.server), p)
		} else {
			env.Call(s.server, p)
		}
	})
	var all sim.Payload = &wire.RangeStreamResponse{}
	for {
		next, ok := s.next()
		if !ok {
			return nil, fmt.Errorf("the simulated server does not answer %s", p.Label())
		}
		if next.Node == s.client {
			answer := s.world.Pending(next).Payload
			s.world.Do(s, next)
			switch c := answer.(type) {
			case *sim.Hangup:
				if c.Broken {
					return c, nil
				}
				return all, nil
			case *wire.RangeStreamResponse:
				all = &wire.RangeStreamResponse{Revision: c.Revision, Kvs: append(all.(*wire.RangeStreamResponse).Kvs, c.Kvs...), More: c.More, Count: c.Count}
				continue
			}
			if all = answer; !streams {
				return all, nil
			}
			continue
		}
		s.world.Do(s, next)
	}
}

// next is a delivery or a task. What a timer would do is to end a lease, and to drop what was
// compacted already.
func (s *simulated) next() (sim.Action, bool) {
	for _, a := range s.world.Enabled() {
		if a.Kind != sim.Fire {
			return a, true
		}
	}
	return sim.Action{}, false
}

func (*simulated) Pick(*sim.World, []sim.Action) int { panic("sequential: a step is not picked") }

// Choose implements sim.Chooser. With one client no answer depends on it.
func (*simulated) Choose(*sim.World, int, string) int { return 0 }
