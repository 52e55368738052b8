package cache_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
)

// fan is an etcd with its client that sends an event whenever it runs.
type fan struct {
	sim.Idle
	feed sim.Conn
	rev  int64
	last *wire.KeyValue
}

func (f *fan) Start(env *sim.Env) { f.rev = 1 }

func (f *fan) Receive(env *sim.Env, m *sim.Message) {
	switch m.Payload.(type) {
	case *wire.RangeRequest:
		env.Send(m.Conn, &wire.RangeResponse{Revision: f.rev})
	case *wire.WatchStart:
		f.feed = m.Conn
		env.Enable(0)
	}
}

func (f *fan) Run(env *sim.Env, _ sim.Task) {
	f.rev++
	kv := &wire.KeyValue{Key: prefix + "a", ModRevision: f.rev, CreateRevision: 2, Version: f.rev - 1}
	e := &wire.WatchEvent{Type: wire.Modified, ResourceVersion: f.rev, Item: kv, Prev: f.last}
	if f.last == nil {
		e.Type = wire.Added
	}
	f.last = kv
	env.Send(f.feed, e)
	env.Enable(0)
}

// crowd is all the clients: it watches a number of times and counts what comes.
type crowd struct {
	sim.Idle
	watches, events int
}

func (c *crowd) Start(env *sim.Env) { env.Arm(0, 0) }
func (c *crowd) Fire(env *sim.Env, _ sim.Timer) {
	for range c.watches {
		env.Send(env.Open(cacheID), &wire.WatchRequest{Prefix: prefix, ResourceVersion: 1, AllowBookmarks: true})
	}
}
func (c *crowd) Receive(*sim.Env, *sim.Message) { c.events++ }

// One operation is an event that is taken in, handed over, dispatched to all
// watchers, sent by each of them and received by its client. What the cache's own
// step costs, without the watchers' turns, is given by itself.
func BenchmarkWatchers(b *testing.B) {
	for _, n := range []int{0, 1, 100, 1000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			w := sim.NewWorld(sim.Options{})
			f, c := &fan{}, &crowd{watches: n}
			w.Add("fan", f)
			w.Add("cache", cache.New(config(cache.Options{})))
			w.Add("crowd", c)
			w.Start(last{})
			step := func(which func(sim.Action) bool) time.Duration {
				for _, a := range w.Enabled() {
					if which(a) {
						start := time.Now()
						w.Do(last{}, a)
						return time.Since(start)
					}
				}
				return -1
			}
			quiet := func(a sim.Action) bool { return a.Node != upID && a.Kind != sim.Fire }
			settle := func() {
				for step(quiet) >= 0 {
				}
			}
			step(func(a sim.Action) bool { return a.Kind == sim.Deliver })
			settle()
			step(func(a sim.Action) bool { return a.Node == downID })
			for step(func(a sim.Action) bool { return a.Kind == sim.Deliver || quiet(a) }) >= 0 {
			}
			var own []time.Duration
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				step(func(a sim.Action) bool { return a.Node == upID })
				// The event comes in, is handed over and dispatched: three steps.
				steps := time.Duration(0)
				for range 3 {
					steps += step(func(a sim.Action) bool { return a.Node == cacheID && a.Kind != sim.Fire })
				}
				own = append(own, steps)
				settle()
			}
			b.StopTimer()
			if c.events != n*b.N {
				b.Fatalf("%d watchers were sent %d events, not %d", n, c.events, n*b.N)
			}
			// The median: on a busy machine other programs distort the mean.
			slices.Sort(own)
			median := float64(own[len(own)/2].Nanoseconds())
			b.ReportMetric(median, "own-ns/op")
			if n > 0 {
				b.ReportMetric(median/float64(n), "own-ns/watcher")
			}
		})
	}
}
