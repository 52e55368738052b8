package cache_test

import (
	"testing"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
)

// source is an etcd with its client that is always one event ahead of what it
// has sent: a consistent list always waits, and the event follows.
type source struct {
	sim.Idle
	rev     int64
	feed    sim.Conn
	last    *wire.KeyValue
	items   []wire.KeyValue
	events  []wire.WatchEvent
	answers []wire.RangeResponse
}

func (s *source) Start(*sim.Env) { s.rev = 1 }

func (s *source) Receive(env *sim.Env, m *sim.Message) {
	switch p := m.Payload.(type) {
	case *wire.RangeRequest:
		if p.RangeEnd == "" {
			s.rev++
			env.Enable(0)
		}
		if len(s.answers) == cap(s.answers) {
			s.answers = make([]wire.RangeResponse, 0, 1024)
		}
		s.answers = append(s.answers, wire.RangeResponse{Revision: s.rev})
		env.Send(m.Conn, &s.answers[len(s.answers)-1])
	case *wire.WatchStart:
		s.feed = m.Conn
	}
}

func (s *source) Run(env *sim.Env, _ sim.Task) {
	if len(s.items) == cap(s.items) {
		s.items = make([]wire.KeyValue, 0, 1024)
		s.events = make([]wire.WatchEvent, 0, 1024)
	}
	s.items = append(s.items, wire.KeyValue{Key: prefix + "a", ModRevision: s.rev, CreateRevision: 2, Version: s.rev - 1})
	item := &s.items[len(s.items)-1]
	e := wire.WatchEvent{Type: wire.Modified, ResourceVersion: s.rev, Item: item, Prev: s.last}
	if s.last == nil {
		e.Type = wire.Added
	}
	s.events = append(s.events, e)
	s.last = item
	env.Send(s.feed, &s.events[len(s.events)-1])
}

// asker asks for one consistent list after another.
type asker struct {
	sim.Idle
	request wire.ListRequest
	served  int
}

func (a *asker) Start(env *sim.Env) { env.Arm(0, 0) }

func (a *asker) ask(env *sim.Env) { env.Call(cacheID, &a.request) }

func (a *asker) Fire(env *sim.Env, _ sim.Timer) { a.ask(env) }

func (a *asker) Receive(env *sim.Env, m *sim.Message) {
	if _, ok := m.Payload.(*wire.ListResponse); ok {
		a.served++
	}
	a.ask(env)
}

// last picks what comes last in the table: timers hardly ever.
type last struct{}

func (last) Pick(_ *sim.World, enabled []sim.Action) int {
	for i, a := range enabled {
		if a.Kind != sim.Fire {
			return i
		}
	}
	return 0
}
func (last) Choose(*sim.World, int, string) int { return 0 }

func newBench(c *cache.Cache) (*sim.World, *asker) {
	w := sim.NewWorld(sim.Options{})
	a := &asker{request: *consistentList()}
	w.Add("source", &source{})
	w.Add("cache", c)
	w.Add("asker", a)
	w.Start(last{})
	return w, a
}

// One operation is: a list asks, waits, an event comes in, is handed over and
// dispatched, and the list is served. The world's own work is included.
func BenchmarkEventAndWaitingRead(b *testing.B) {
	w, a := newBench(cache.New(config(cache.Options{})))
	b.ReportAllocs()
	b.ResetTimer()
	for a.served < b.N {
		w.Step(last{})
	}
	if waited := covered(w, "read served after waiting"); waited < uint64(b.N) {
		b.Fatalf("%d of %d reads waited", waited, b.N)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(w.Steps()), "ns/step")
	b.ReportMetric(float64(w.Steps())/float64(b.N), "steps/op")
}

// One operation makes a used cache a new one, as every schedule does.
func BenchmarkReset(b *testing.B) {
	c := cache.New(config(cache.Options{}))
	w, a := newBench(c)
	for a.served < 100 {
		w.Step(last{})
	}
	cfg := config(cache.Options{})
	b.ReportAllocs()
	for b.Loop() {
		c.Reset(cfg)
	}
}

func BenchmarkClone(b *testing.B) {
	c := cache.New(config(cache.Options{}))
	w, a := newBench(c)
	for a.served < 100 {
		w.Step(last{})
	}
	b.ReportAllocs()
	for b.Loop() {
		c.Clone()
	}
}

func BenchmarkFingerprint(b *testing.B) {
	c := cache.New(config(cache.Options{}))
	w, a := newBench(c)
	for a.served < 100 {
		w.Step(last{})
	}
	b.ReportAllocs()
	for b.Loop() {
		c.Fingerprint(sim.NewDigest)
	}
}
