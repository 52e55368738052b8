package testbed_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// direct is a cache that brings a client of etcd of its own, as compiled Kubernetes does: it opens its watch streams
// itself.
type direct struct {
	etcd   sim.NodeID
	seen   *streamFaults
	stream sim.Conn
}

// streamFaults is what became of the streams of such caches.
type streamFaults struct{ broken, ended, clogged int }

func (n *direct) Start(env *sim.Env) {
	n.stream = env.Open(n.etcd)
	env.Send(n.stream, &wire.WatchCreateRequest{Key: "/", RangeEnd: "0", StartRevision: 1})
}

func (n *direct) Receive(env *sim.Env, m *sim.Message) {
	if p, ends := m.Payload.(*sim.Hangup); ends {
		if p.Broken {
			n.seen.broken++
		} else {
			n.seen.ended++
		}
		n.Start(env)
	}
}

func (*direct) Fire(*sim.Env, sim.Timer)   {}
func (*direct) Run(*sim.Env, sim.Task)     {}
func (*direct) TaskName(sim.Task) string   { return "" }
func (*direct) TimerName(sim.Timer) string { return "" }

// TestFaultsOfStreamsReachTheOnesThatACacheOpens: a watch stream with etcd breaks, ends or is clogged whether the
// client library of the test bed or the cache itself has opened it.
func TestFaultsOfStreamsReachTheOnesThatACacheOpens(t *testing.T) {
	var seen streamFaults
	cache.RegisterDesign(cache.Design{
		Preset: option.Preset{Name: "test-direct", Doc: "watches etcd on a stream of its own"},
		New:    func(c cache.Config) sim.Node { return &direct{etcd: c.Etcd, seen: &seen} },
	})
	under := func(set ...string) streamFaults {
		seen = streamFaults{}
		sc := Quiet
		p := sc.Params
		p.Etcd, p.Cache = "3.6.16", "test-direct"
		for _, s := range option.Settings(set...) {
			require.NoError(t, p.Set(s.Name, s.Value))
		}
		subjects, err := sc.Subjects(p)
		require.NoError(t, err)
		c, err := campaign.Run(t.Context(), subjects, campaign.Config{Seeds: 50, Workers: 1, Steps: 2_000})
		require.NoError(t, err)
		for _, coveragePoint := range c.CoveragePoints {
			if coveragePoint.CoveragePoint.String() == "etcd: response to a watch does not get through" {
				seen.clogged = int(coveragePoint.Times)
			}
		}
		return seen
	}
	require.Zero(t, under(), "nothing breaks on its own")
	require.NotZero(t, under("breaks=1").broken)
	require.NotZero(t, under("stream-ends=1").ended)
	require.NotZero(t, under("clog=true").clogged)
}
