package cache_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
)

// full is an etcd with its client that holds many objects and stands still: a
// consistent list is served as soon as its revision is known.
type full struct {
	sim.Idle
	objects []*wire.KeyValue
}

func (f *full) Receive(env *sim.Env, m *sim.Message) {
	if r, ok := m.Payload.(*wire.RangeRequest); ok {
		resp := &wire.RangeResponse{Revision: int64(len(f.objects)) + 1}
		if r.RangeEnd != "" {
			resp.Kvs = f.objects
		}
		env.Send(m.Conn, resp)
	}
}

func holding(objects int) *full {
	f := &full{}
	for i := range objects {
		f.objects = append(f.objects, kv(fmt.Sprintf("ns-%03d/pod-%06d", i%500, i), "v", int64(i)+2))
	}
	return f
}

// listing is a world in which one client lists everything again and again.
func listing(f *full, o cache.Options) (*sim.World, *asker) {
	cfg := config(o)
	cfg.ListPageSize = len(f.objects)
	a := &asker{request: *consistentList()}
	w := sim.NewWorld(sim.Options{})
	w.Add("up", f)
	w.Add("cache", cache.New(cfg))
	w.Add("down", a)
	w.Start(usual{})
	return w, a
}

// usual lets messages and loops go first, in their order.
type usual struct{}

func (usual) Pick(_ *sim.World, enabled []sim.Action) int {
	for i, a := range enabled {
		if a.Kind != sim.Fire {
			return i
		}
	}
	return 0
}

func (usual) Choose(*sim.World, int, string) int { return 0 }

// serve runs until the client has been served so many more times.
func serve(w *sim.World, a *asker, times int) {
	for want := a.served + times; a.served < want; {
		w.Step(usual{})
	}
}

// One operation is a consistent list of all objects in the simulation: asked,
// revision read, served and received.
func BenchmarkConsistentListOfMany(b *testing.B) {
	for _, design := range []string{"kep-2340", "kep-4988"} {
		for _, objects := range []int{1_000, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", design, objects), func(b *testing.B) {
				o, err := cache.ForDesign(design)
				require.NoError(b, err)
				w, a := listing(holding(objects), o)
				serve(w, a, 1)
				b.ReportAllocs()
				for b.Loop() {
					serve(w, a, 1)
				}
			})
		}
	}
}

// A list allocates its answer and nothing for each object: that is what makes
// 100,000 of them worth simulating.
func TestConsistentListOfManyIsCheap(t *testing.T) {
	w, a := listing(holding(100_000), cache.Options{})
	serve(w, a, 1)
	require.LessOrEqual(t, testing.AllocsPerRun(5, func() { serve(w, a, 1) }), 10.0)
}
