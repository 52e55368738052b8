package testbed_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// steady has each message take 1 ms and each turn of a loop 2 ms, but for the messages that a node sends: they take 0,
// 1 ... 4 ms in turn.
type steady struct {
	from, acts sim.NodeID
	sent       int
}

func (s *steady) Pick(_ *sim.World, enabled []sim.Action) int {
	s.acts = enabled[0].Node
	return 0
}

func (s *steady) Choose(_ *sim.World, n int, what string) int {
	switch {
	case what == "scheduling delay":
		return n / 2
	case what == "network delay" && s.acts == s.from:
		s.sent++
		return s.sent % n
	case what == "network delay":
		return n / 4
	}
	return n - 1
}

// TestStagesOfTheWay: each of five events takes as many messages and turns in a stage as there are, and the last one is
// under way when the run ends. The watcher is synced, and each event is alone on the way.
func TestStagesOfTheWay(t *testing.T) {
	sc := &testbed.Scenario{Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1 writers=1 writes=6 write-from=5s keys=1 watchers=1
		await-ready=true think=1s mode=timed network=4ms scheduling=4ms horizon=20s steps=100000 latency=true`)}
	s, err := sc.New(sc.Params)
	require.NoError(t, err)
	r := s.Runner()
	r.Run(&steady{from: s.Topology().APIServers[0].Caches[0]})
	const message, turn = 1, 2
	want := map[string][3]int{
		stage(testbed.EtcdApply):      {},
		stage(testbed.EtcdWatchers):   {},
		stage(testbed.EtcdStream):     {turn, turn, turn},
		stage(testbed.Network):        {message, message, message},
		stage(testbed.ClientBuffer):   {turn, turn, turn},
		stage(testbed.Decode):         {turn, turn, turn},
		stage(testbed.Ingestion):      {message, message, message},
		stage(testbed.Dispatch):       {2 * turn, 2 * turn, 2 * turn},
		stage(testbed.WatcherChannel): {turn, turn, turn},
		stage(testbed.Delivery):       {2, 4, 4},
		"watch_event_seconds":         {14 + 2, 14 + 4, 14 + 4},
		`apiserver_watch_events_dispatch_duration_seconds{stage="total"}`:                {9, 9, 9},
		`apiserver_watch_events_dispatch_duration_seconds{stage="storage_to_cache"}`:     {3, 3, 3},
		`apiserver_watch_events_dispatch_duration_seconds{stage="cacher_queue_latency"}`: {4, 4, 4},
	}
	for _, m := range metric.All() {
		ms, of := want[m.String()]
		if !of {
			continue
		}
		delete(want, m.String())
		d := r.World().Metric(m)
		assert.EqualValues(t, 5, d.Count(), m)
		for i, got := range [3]int64{d.Quantile(0.5), d.Quantile(0.99), d.Max()} {
			exact := time.Duration(ms[i]) * time.Millisecond
			assert.InDelta(t, exact, got, float64(exact)/64, "%v", m)
		}
	}
	assert.Empty(t, want)
}

// TestStagesOfTheLibrary: etcd's own cache library decodes nothing, and puts an event into the channels of its watchers
// in the step in which it has it.
func TestStagesOfTheLibrary(t *testing.T) {
	sc := &testbed.Scenario{Params: testbed.With(`etcd=3.6.16 cache=etcd-cache caches=1 writers=1 writes=6 write-from=5s keys=1 watchers=1
		await-ready=true think=1s mode=timed network=4ms scheduling=4ms horizon=20s steps=100000 latency=true`)}
	s, err := sc.New(sc.Params)
	require.NoError(t, err)
	r := s.Runner()
	r.Run(&steady{from: s.Topology().APIServers[0].Caches[0]})
	got := map[string]int64{}
	for _, m := range metric.All() {
		if d := r.World().Metric(m); d.Count() > 0 && strings.HasPrefix(m.String(), "watch_event_stage") {
			got[m.String()] = int64(d.Count())
		}
	}
	want := map[string]int64{}
	for s := range testbed.Stages {
		if s != testbed.Decode && s != testbed.Inside {
			want[stage(s)] = 5
		}
	}
	assert.Equal(t, want, got)
}

// TestEventsInTimeIsClaimed: by scenarios with a clock in which clients write behind the faults what a cache has.
func TestEventsInTimeIsClaimed(t *testing.T) {
	const written = `caches=1 writers=1 writes=4 think=1s network=1ms scheduling=1ms mode=timed`
	for settings, claimed := range map[string]bool{
		"":               true,
		"faults-for=2s":  true,
		"faults-for=4s":  false,
		"network=1s":     false,
		"writers=0":      false,
		"caches=0":       false,
		"write-from=10m": true,
	} {
		p := testbed.With(written).But(settings)
		assert.Equal(t, claimed, p.WhyNotInTime() == "", settings)
	}
}

func stage(s testbed.Stage) string { return `watch_event_stage_seconds{stage="` + s.String() + `"}` }
