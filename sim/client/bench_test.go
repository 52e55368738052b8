package client_test

import (
	"testing"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/wire"
)

// pump is an etcd that sends the same responses over and over.
type pump struct {
	conn      sim.Conn
	nextID    int64
	responses []*wire.WatchResponse
}

func (p *pump) Start(*sim.Env) {}
func (p *pump) Receive(env *sim.Env, m *sim.Message) {
	if _, create := m.Payload.(*wire.WatchCreateRequest); create {
		p.conn = m.Conn
		env.Send(m.Conn, &wire.WatchResponse{WatchID: p.nextID, Created: true, Revision: 1})
		p.nextID++
		env.Enable(0)
	}
}
func (p *pump) Fire(*sim.Env, sim.Timer) {}
func (p *pump) Run(env *sim.Env, _ sim.Task) {
	for _, r := range p.responses {
		env.Send(p.conn, r)
	}
	env.Enable(0)
}
func (p *pump) TaskName(sim.Task) string   { return "" }
func (p *pump) TimerName(sim.Timer) string { return "" }

// sink is a cache that does nothing with what it gets.
type sink struct {
	watches, received int
}

func (s *sink) Start(env *sim.Env) {
	for range s.watches {
		env.Send(env.Open(clientID), &wire.WatchStart{Prefix: "/registry/pods/", Revision: 1, ProgressNotify: true})
	}
}
func (s *sink) Receive(*sim.Env, *sim.Message) { s.received++ }
func (s *sink) Fire(*sim.Env, sim.Timer)       {}
func (s *sink) Run(*sim.Env, sim.Task)         {}
func (s *sink) TaskName(sim.Task) string       { return "" }
func (s *sink) TimerName(sim.Timer) string     { return "" }

// pipeline picks at random what moves things on. etcd sends more when nothing else
// is left.
type pipeline struct {
	walk
}

func (p *pipeline) Pick(_ *sim.World, enabled []sim.Action) int {
	for {
		i := p.next(len(enabled))
		if a := enabled[i]; len(enabled) == 1 || a.Node != etcdID || a.Kind != sim.Run {
			return i
		}
	}
}

func benchmarkPipeline(b *testing.B, watches int, responses []*wire.WatchResponse) {
	cfg := config(b, newest)
	w := sim.NewWorld(sim.Options{})
	s := &sink{watches: watches}
	w.Add("etcd", &pump{responses: responses})
	w.Add("client", client.New(cfg))
	w.Add("cache", s)
	p := &pipeline{}
	w.Start(p)
	for range 10000 {
		w.Step(p)
	}
	s.received = 0
	steps := 0
	b.ReportAllocs()
	for b.Loop() {
		w.Step(p)
		steps++
	}
	b.ReportMetric(float64(s.received)/float64(steps), "events/step")
}

// BenchmarkEvents is one step on the way of an event from etcd to the cache: sent,
// received by run, taken by startWatching, by processEvents, received by the cache.
func BenchmarkEvents(b *testing.B) {
	var all []*wire.WatchResponse
	for rev := int64(2); rev < 10; rev++ {
		all = append(all, events(0, updateAt("/registry/pods/x", rev, 1)))
	}
	benchmarkPipeline(b, 1, all)
}

// BenchmarkBroadcast is the same for progress notifications to ten watches.
func BenchmarkBroadcast(b *testing.B) {
	benchmarkPipeline(b, 10, []*wire.WatchResponse{progress(wire.InvalidWatchID, 9)})
}

// BenchmarkReset is what a client costs that is used for another run.
func BenchmarkReset(b *testing.B) {
	cfg := config(b, newest)
	c := client.New(cfg)
	b.ReportAllocs()
	for b.Loop() {
		c.Reset(cfg)
	}
}

// BenchmarkClone is the copy of a client with ten watches and nothing queued.
func BenchmarkClone(b *testing.B) {
	w := sim.NewWorld(sim.Options{})
	c := client.New(config(b, newest))
	w.Add("etcd", &pump{})
	w.Add("client", c)
	w.Add("cache", &sink{watches: 10})
	p := &pipeline{}
	w.Start(p)
	for range 1000 {
		w.Step(p)
	}
	b.ReportAllocs()
	for b.Loop() {
		c.Clone()
	}
}
