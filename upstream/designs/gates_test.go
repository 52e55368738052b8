package designs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// said keeps what API servers send, and which of their goroutines were picked.
type said struct{ lines []string }

// Observe implements sim.Observer.
func (s *said) Observe(w *sim.World, e *sim.Event) {
	switch e.Kind {
	case sim.Sent:
		if strings.HasPrefix(w.NodeName(e.Message.From), "cache") {
			s.lines = append(s.lines, e.Message.Payload.Label())
		}
	case sim.Chosen:
		s.lines = append(s.lines, e.Text)
	}
}

// observed is what came of some schedules.
func observed(t *testing.T, scenario string, seeds int, set ...string) string {
	t.Helper()
	sc, err := testbed.FindScenario(scenario)
	require.NoError(t, err)
	p := sc.Params
	require.NoError(t, p.Set("cache", "kubernetes@v0.37.2"))
	for _, s := range set {
		name, value, _ := strings.Cut(s, "=")
		require.NoError(t, p.Set(name, value))
	}
	system, err := sc.New(p)
	require.NoError(t, err)
	runner := explore.NewRunner(system, p.Clock.Steps)
	s := &said{}
	runner.Observe(s)
	c := strategy.Default().For(runner)
	for seed := range seeds {
		c.Begin(uint64(seed))
		runner.Run(c)
	}
	return strings.Join(s.lines, "\n")
}

// gates are options of the simulated cache that reach the guest: what its own code does, or says, with one value of
// each and not with the other.
var gates = []struct{ scenario, with, without, shows string }{
	// The goroutine in which clientv3 reads the stream.
	{"streamed-start", "etcd-range-stream=enabled", "etcd-range-stream=disabled", "v3.(*kv).GetStream.func1"},
	{"streamed-start", "watch-decode=concurrent", "watch-decode=serial", "etcd3.(*watchChan).concurrentProcessEvents.func1"},
	{"streamed-start", "watch-decode=serial", "watch-decode=concurrent", "etcd3.(*watchChan).processEvents.gowrap1"},
	// Snapshots are what the API server learns of compactions for.
	{"snapshot-reads", "snapshots=on", "snapshots=off", "etcd3.NewCompactor.func2"},
	{"failed-checks", "consistency-checker=fallback", "consistency-checker=off", "cacher.NewCacheDelegator.func1"},
	// A watch list that a fault ends has the reflector list.
	{"consistent-list", "watch-list=disabled breaks=0 restarts=0", "watch-list=default breaks=0 restarts=0", "cache.(*Reflector).list.func1"},
	{"consistent-list", "reflector-list=list breaks=0 restarts=0", "reflector-list=watch-list breaks=0 restarts=0", "cache.(*Reflector).list.func1"},
	{"member-partition", "on-timeout=throttle", "on-timeout=fallback", "error: too many requests"},
	{"relist-of-small-history", "ring=1 compactions=0", "ring=100 compactions=0", "ERROR RV="},
	{"relist-of-small-history", "ring=1 compactions=0", "ring=1 ring-max=100 mode=timed horizon=20s compactions=0", "ERROR RV="},
}

// TestGatesReachTheGuest: an option that stands for a feature gate or an amount of Kubernetes' changes what Kubernetes'
// code does.
func TestGatesReachTheGuest(t *testing.T) {
	for _, g := range gates {
		require.True(t, strings.Contains(observed(t, g.scenario, 4, strings.Fields(g.with)...), g.shows), g.with)
		require.False(t, strings.Contains(observed(t, g.scenario, 4, strings.Fields(g.without)...), g.shows), g.without)
	}
}

// TestGuestStreamsAsEtcdCan: in front of an etcd 3.7 the guest reads whole ranges as a stream. One of 3.6 does not know
// the method, which the guest finds out by itself, and asks for pages.
func TestGuestStreamsAsEtcdCan(t *testing.T) {
	const asks, streams, pages = "streamed Range /registry/pods/...", "GetStream.func1", "\nRange /registry/pods/...\n"
	on37, on36 := observed(t, "streamed-start", 6, "etcd=3.7.3"), observed(t, "streamed-start", 6, "etcd=3.6.16")
	for _, of := range []string{on37, on36} {
		require.True(t, strings.Contains(of, asks))
		require.True(t, strings.Contains(of, streams))
	}
	require.False(t, strings.Contains(on37, pages))
	require.True(t, strings.Contains(on36, pages))
}

// TestWhatDoesNotReachTheGuestIsIgnored: settings of scenarios that stand for nothing of Kubernetes' change no run.
func TestWhatDoesNotReachTheGuestIsIgnored(t *testing.T) {
	plain := observed(t, "consistent-list", 2)
	for _, ignored := range []string{"on-timeout=reject", "pagination=etcd", "client-buf=1", "watch-buf=1"} {
		require.True(t, plain == observed(t, "consistent-list", 2, ignored), ignored)
	}
}
