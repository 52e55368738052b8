package informer_test

import (
	"strconv"
	"testing"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/wire"
)

// pump is an API server that answers a WatchList with so many objects, and sends
// changes of them ever after.
type pump struct {
	sim.Idle
	items  []*wire.KeyValue
	events []*wire.WatchEvent
	conn   sim.Conn
	next   int
}

func newPump(objects int) *pump {
	p := &pump{}
	for i := range objects {
		kv := item(strconv.Itoa(i), 1)
		p.items = append(p.items, kv)
		p.events = append(p.events, &wire.WatchEvent{Type: wire.Modified, ResourceVersion: int64(objects + i), Item: kv})
	}
	return p
}

func (p *pump) Start(env *sim.Env) { env.Enable(0) }
func (p *pump) Receive(env *sim.Env, m *sim.Message) {
	if _, ok := m.Payload.(*wire.WatchRequest); !ok {
		return
	}
	p.conn = m.Conn
	for _, kv := range p.items {
		env.Send(p.conn, added(kv))
	}
	env.Send(p.conn, endOfInitialEvents(int64(len(p.items))))
}
func (p *pump) Run(env *sim.Env, _ sim.Task) {
	env.Enable(0)
	if p.conn != sim.NoConn {
		env.Send(p.conn, p.events[p.next%len(p.events)])
		p.next++
	}
}

// inTurn delivers what is under way before anything new is sent.
type inTurn struct{}

func (inTurn) Pick(_ *sim.World, enabled []sim.Action) int { return len(enabled) - 1 }
func (inTurn) Choose(*sim.World, int, string) int          { return 0 }

// BenchmarkEvent is one event of a watch, from the server's send to the store of
// an informer with so many objects.
func BenchmarkEvent(b *testing.B) {
	for _, objects := range []int{100, 100_000} {
		b.Run(strconv.Itoa(objects), func(b *testing.B) {
			w := sim.NewWorld(sim.Options{})
			p := newPump(objects)
			r := informer.New(informer.Config{
				Prefix: prefix, Servers: []sim.NodeID{1}, Options: informer.Options{List: informer.ByWatchList},
			})
			w.Add("server", p)
			w.Add("informer", r)
			w.Start(inTurn{})
			for !r.Synced() {
				w.Step(inTurn{})
			}
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				w.Step(inTurn{})
				w.Step(inTurn{})
			}
		})
	}
}
