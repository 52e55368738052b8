package cache_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// flood is an etcd with its client that changes one object of many after the
// other, as fast as the cache takes it.
type flood struct {
	sim.Idle
	objects []*wire.KeyValue
	feed    sim.Conn
	rev     int64
	random  uint64
	// events are made ahead, so that what they cost is not measured.
	events []wire.WatchEvent
	next   int
}

func newFlood(objects int) *flood {
	f := &flood{rev: 1, random: 1}
	for i := range objects {
		f.rev++
		f.objects = append(f.objects, &wire.KeyValue{
			Key: fmt.Sprintf("%snamespace-%02d/pod-%06d", prefix, i%40, i), CreateRevision: f.rev, ModRevision: f.rev, Version: 1})
	}
	return f
}

func (f *flood) prepare(n int) {
	f.events, f.next = make([]wire.WatchEvent, n), 0
	items := make([]wire.KeyValue, n)
	for i := range f.events {
		f.random = f.random*6364136223846793005 + 1442695040888963407
		at := int(f.random>>33) % len(f.objects)
		f.rev++
		old := f.objects[at]
		items[i] = *old
		items[i].ModRevision, items[i].Version = f.rev, old.Version+1
		f.objects[at] = &items[i]
		f.events[i] = wire.WatchEvent{Type: wire.Modified, ResourceVersion: f.rev, Item: &items[i], Prev: old}
	}
}

func (f *flood) Receive(env *sim.Env, m *sim.Message) {
	switch m.Payload.(type) {
	case *wire.RangeRequest:
		env.Send(m.Conn, &wire.RangeResponse{Revision: f.rev, Kvs: append([]*wire.KeyValue(nil), f.objects...)})
	case *wire.WatchStart:
		f.feed = m.Conn
	}
}

func (f *flood) Run(env *sim.Env, _ sim.Task) {
	env.Send(f.feed, &f.events[f.next])
	f.next++
	if f.next < len(f.events) {
		env.Enable(0)
	}
}

// busiest takes what the cache has to do before the flood goes on.
type busiest struct{ last }

func (busiest) Pick(_ *sim.World, enabled []sim.Action) int {
	for i, a := range enabled {
		if a.Kind != sim.Fire && a.Node == cacheID {
			return i
		}
	}
	return last{}.Pick(nil, enabled)
}

// newFlooded is a cache with a history that is full.
func newFlooded(tb testing.TB, objects, ring int, how store.Snapshotting) (*sim.World, *flood, *cache.Cache) {
	cfg := config(cache.Options{Store: store.Options{Snapshotting: how}})
	cfg.RingCapacity, cfg.ListPageSize = ring, objects
	f, c := newFlood(objects), cache.New(cfg)
	w := sim.NewWorld(sim.Options{})
	w.Add("flood", f)
	w.Add("cache", c)
	w.Start(busiest{})
	for !c.Ready() || f.feed == sim.NoConn {
		w.Step(busiest{})
	}
	f.run(w, ring+1)
	if want := f.rev; c.ResourceVersion() != want {
		tb.Fatalf("the cache is at %d and not at %d", c.ResourceVersion(), want)
	}
	return w, f, c
}

// run lets the cache take in that many events, once they are made.
func (f *flood) run(w *sim.World, n int) {
	f.prepare(n)
	f.pour(w)
}

func (f *flood) pour(w *sim.World) {
	w.Admit(busiest{}, 1, func(env *sim.Env) { env.Enable(0) })
	for {
		idle := true
		for _, a := range w.Enabled() {
			if a.Kind != sim.Fire {
				idle = false
			}
		}
		if idle {
			return
		}
		w.Step(busiest{})
	}
}

// One operation is an event that the cache takes in: delivery, with the snapshot
// if it takes any, hand-over and dispatch. The history evicts one event, and one
// snapshot, each time. The world's own work and the flood's are included.
func BenchmarkEventAt100000Objects(b *testing.B) {
	const objects, ring, block = 100_000, 1_000, 20_000
	for _, how := range []store.Snapshotting{store.SnapshotsOff, store.SnapshotsOn} {
		b.Run([]string{"off", "on"}[how], func(b *testing.B) {
			w, f, _ := newFlooded(b, objects, ring, how)
			b.ReportAllocs()
			b.ResetTimer()
			for left := b.N; left > 0; left -= block {
				b.StopTimer()
				f.prepare(min(block, left))
				b.StartTimer()
				f.pour(w)
			}
		})
	}
}

// What snapshots hold that the store and the history do not: bytes in use, for
// each snapshot. KEP-4988 reports 300 MB or 1.3 % of a large cluster's memory.
func BenchmarkSnapshotMemory(b *testing.B) {
	const objects = 100_000
	for _, ring := range []int{100, 1_000, 10_000, 102_400} {
		b.Run(fmt.Sprint(ring, "-snapshots"), func(b *testing.B) {
			var with, without uint64
			for b.Loop() {
				with, without = inUse(b, objects, ring, store.SnapshotsOn), inUse(b, objects, ring, store.SnapshotsOff)
			}
			b.ReportMetric(float64(with-without)/float64(ring), "B/snapshot")
			b.ReportMetric(float64(with-without)/(1<<20), "MiB")
		})
	}
}

func inUse(tb testing.TB, objects, ring int, how store.Snapshotting) uint64 {
	_, f, c := newFlooded(tb, objects, ring, how)
	f.events = nil
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	runtime.KeepAlive(f)
	runtime.KeepAlive(c)
	return m.HeapAlloc
}
