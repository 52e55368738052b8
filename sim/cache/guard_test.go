package cache_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
)

// unknown is an endpoint that gives no version.
const unknown = "-"

// tellVersion answers the oldest question for an endpoint's version.
func (b *bed) tellVersion(version string) (endpoint int) {
	b.t.Helper()
	req, conn := take[*wire.StatusRequest](b, b.up)
	var answer sim.Payload = &wire.StatusResponse{Version: version}
	if version == unknown {
		answer = &wire.Error{Code: wire.Unavailable, Message: "down"}
	}
	b.act(b.up, func(env *sim.Env) { env.Send(conn, answer) })
	b.settle()
	return req.Endpoint
}

// guarded is a cache whose API server knows so many endpoints of etcd.
func guarded(t *testing.T, check, gate string, endpoints int) *bed {
	t.Helper()
	var o cache.Options
	var err error
	o, err = o.With("version-check", check)
	require.NoError(t, err)
	o, err = o.With("consistent-list-from-cache", gate)
	require.NoError(t, err)
	cfg := config(o)
	cfg.Endpoints = endpoints
	b := newBed(t, cfg)
	b.w.SetObserver(b)
	b.settle()
	return b
}

// servedBy says what the API server does now: "cache" or "etcd" answers its
// consistent lists, "abort" if it does not start at all, "waits" if it has yet
// to.
func (b *bed) servedBy() string {
	b.t.Helper()
	if b.cache.Aborted() != "" {
		return "abort"
	}
	if count[*wire.RangeRequest](b.up) == 0 && !b.cache.Ready() {
		return "waits"
	}
	if !b.cache.Ready() {
		b.listed(5)
	}
	b.ask(consistentList())
	b.settle()
	req, _ := take[*wire.RangeRequest](b, b.up)
	if req.RangeEnd != "" {
		return "etcd"
	}
	return "cache"
}

func (b *bed) warned() bool {
	for _, n := range b.notes {
		if strings.HasPrefix(n, "warns: ") {
			return true
		}
	}
	return false
}

// TestVersionCheckOfTheKEP is "The proposed behavior of the safeguard" in
// KEP-2340, "Bug in etcd progress notification", one case for each row and each
// value of the gate. The gate is on by default.
func TestVersionCheckOfTheKEP(t *testing.T) {
	for _, row := range []struct {
		policy, etcd, gate string
		want               string
		warns              bool
	}{
		// Beta: "etcd version could not be acquired or etcd new enough: warn, but
		// continue with whatever the current value of the feature gate is". There is
		// nothing to warn of if it is new enough, which has a row of its own.
		{"kep-beta", "unknown", "default", "cache", true},
		{"kep-beta", "unknown", "enabled", "cache", true},
		{"kep-beta", "unknown", "disabled", "etcd", true},
		// "etcd too old, feature gate not explicitly specified: warn and disable"
		{"kep-beta", "old", "default", "etcd", true},
		// "etcd too old, feature gate explicitly enabled: abort"
		{"kep-beta", "old", "enabled", "abort", false},
		// No row: disabled explicitly is specified explicitly, and not enabled.
		// There is nothing to turn off.
		{"kep-beta", "old", "disabled", "etcd", true},
		// "etcd new enough: use whatever the current value of the feature gate is"
		{"kep-beta", "new", "default", "cache", false},
		{"kep-beta", "new", "enabled", "cache", false},
		{"kep-beta", "new", "disabled", "etcd", false},
		// GA, "feature gate locked to true".
		// "etcd version could not be acquired: warn, but continue with the feature enabled"
		{"kep-ga", "unknown", "default", "cache", true},
		{"kep-ga", "unknown", "enabled", "cache", true},
		// "etcd too old: abort"
		{"kep-ga", "old", "default", "abort", false},
		{"kep-ga", "old", "enabled", "abort", false},
		// "etcd new enough: enable feature"
		{"kep-ga", "new", "default", "cache", false},
		{"kep-ga", "new", "enabled", "cache", false},
		// Locked: a gate that is locked cannot be set to anything else, whatever
		// etcd is.
		{"kep-ga", "unasked", "disabled", "abort", false},
	} {
		t.Run(row.policy+" "+row.etcd+" "+row.gate, func(t *testing.T) {
			b := guarded(t, row.policy, row.gate, 1)
			if row.etcd != "unasked" {
				require.Equal(t, "waits", b.servedBy(), "nothing starts before the version is known")
				b.tellVersion(map[string]string{"old": "3.5.7", "new": "3.5.8", "unknown": unknown}[row.etcd])
			}
			require.Equal(t, row.want, b.servedBy())
			require.Equal(t, row.warns, b.warned(), "%q", b.notes)
		})
	}
}

// TestVersionCheckAsShipped is FeatureSupportChecker of k8s.io/apiserver
// v0.37.2: no etcd is trusted before the first answer, one good endpoint turns
// support on, and a bad one turns it off for good.
func TestVersionCheckAsShipped(t *testing.T) {
	for _, row := range []struct {
		name      string
		endpoints []string
		// want is what answers consistent lists before the first endpoint has
		// answered, after it, after the second.
		want []string
	}{
		{"one new", []string{"3.5.13"}, []string{"etcd", "cache"}},
		{"one old", []string{"3.5.12"}, []string{"etcd", "etcd"}},
		{"one unknown", []string{unknown}, []string{"etcd", "etcd"}},
		{"one unreadable", []string{"main"}, []string{"etcd", "etcd"}},
		{"both new", []string{"3.5.13", "3.6.0"}, []string{"etcd", "cache", "cache"}},
		{"both old", []string{"3.5.7", "3.4.30"}, []string{"etcd", "etcd", "etcd"}},
		{"old after new", []string{"3.5.13", "3.5.7"}, []string{"etcd", "cache", "etcd"}},
		{"new after old", []string{"3.5.7", "3.5.13"}, []string{"etcd", "etcd", "etcd"}},
		{"unknown after new", []string{"3.5.13", unknown}, []string{"etcd", "cache", "cache"}},
		{"new after unknown", []string{unknown, "3.5.13"}, []string{"etcd", "etcd", "cache"}},
		{"unreadable after new", []string{"3.5.13", "main"}, []string{"etcd", "cache", "etcd"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := guarded(t, "shipped", "default", len(row.endpoints))
			require.Equal(t, row.want[0], b.servedBy(), "before an endpoint has answered")
			for i, v := range row.endpoints {
				require.Equal(t, i, b.tellVersion(v))
				require.Equal(t, row.want[i+1], b.servedBy(), "after endpoint %d said %s", i, v)
			}
		})
	}
	t.Run("gate off", func(t *testing.T) {
		b := guarded(t, "shipped", "disabled", 2)
		require.Equal(t, "etcd", b.servedBy())
		require.Zero(t, count[*wire.StatusRequest](b.up), "there is nothing to check")
	})
	t.Run("asked again until it answers", func(t *testing.T) {
		b := guarded(t, "shipped", "default", 1)
		for range 3 {
			b.tellVersion(unknown)
			require.Equal(t, "etcd", b.servedBy())
			b.do("version of endpoint 0")
			b.settle()
		}
		b.tellVersion("3.5.13")
		require.Equal(t, "cache", b.servedBy())
		require.False(t, b.can("version of endpoint 0"), "and then no more")
	})
	t.Run("taken back", func(t *testing.T) {
		b := guarded(t, "shipped", "default", 2)
		b.tellVersion("3.5.13")
		b.tellVersion("3.5.12")
		require.Equal(t, 1, b.covered("consistent reads were supported until another endpoint answered"))
	})
}

// TestVersionCheckOfSeveralEndpoints: "The condition will only pass if all etcd
// endpoints have etcd version that includes the fix", in whatever order they
// answer.
func TestVersionCheckOfSeveralEndpoints(t *testing.T) {
	for _, row := range []struct {
		endpoints, want string
	}{
		{"3.5.8 3.5.8", "cache"},
		{"3.5.8 3.5.7", "abort"},
		{"3.5.7 3.5.8", "abort"},
		{"3.5.8 " + unknown, "cache"},
		{unknown + " 3.5.7", "abort"},
		{"3.5.7 " + unknown, "abort"},
		{unknown + " " + unknown, "cache"},
		{"3.5.8 main", "cache"}, // a version that cannot be read is not acquired
	} {
		t.Run(row.endpoints, func(t *testing.T) {
			b := guarded(t, "kep-ga", "default", 2)
			for _, v := range strings.Fields(row.endpoints) {
				require.Equal(t, "waits", b.servedBy())
				b.tellVersion(v)
			}
			require.Equal(t, row.want, b.servedBy())
		})
	}
}

func TestVersions(t *testing.T) {
	for _, row := range []struct {
		version      string
		kep, shipped string
	}{
		{"3.3.27", "etcd", "etcd"},
		{"3.4.24", "etcd", "etcd"},
		{"3.4.25", "cache", "etcd"}, // #15220 is fixed there, #17507 is not
		{"3.4.30", "cache", "etcd"},
		{"3.4.31", "cache", "cache"},
		{"3.5.0", "etcd", "etcd"},
		{"3.5.7", "etcd", "etcd"},
		{"3.5.8", "cache", "etcd"},
		{"3.5.12", "cache", "etcd"},
		{"3.5.13", "cache", "cache"},
		{"3.6.0", "cache", "cache"},
		{"4.0.0", "cache", "cache"},
		{"3.5.13-rc.1", "cache", "etcd"}, // a pre-release comes before its release
		{"3.5.13+dirty", "cache", "cache"},
		{"3.5.0-rc.1", "cache", "cache"}, // before 3.5.0, and not before 3.4.31: upstream's words
		// A version that cannot be read is unknown to the KEP, which goes on, and
		// too old to what was shipped.
		{"3.5", "cache", "etcd"},
		{"", "cache", "etcd"},
		{"3.5.x", "cache", "etcd"},
		{"3.5.13-", "cache", "etcd"},
		{"99999999999.5.13", "cache", "etcd"},
	} {
		for _, policy := range []string{"kep-beta", "shipped"} {
			want := row.kep
			if policy == "shipped" {
				want = row.shipped
			}
			b := guarded(t, policy, "default", 1)
			b.tellVersion(row.version)
			require.Equal(t, want, b.servedBy(), "%s, %q", policy, row.version)
		}
	}
}

// TestAnEndpointThatNeverAnswers: the API server waits 2 s for the versions.
func TestAnEndpointThatNeverAnswers(t *testing.T) {
	o, err := cache.Options{}.With("version-check", "kep-beta")
	require.NoError(t, err)
	cfg := config(o)
	cfg.Endpoints = 2
	b := &bed{t: t, up: &puppet{}, down: &puppet{}, choices: map[string]int{}}
	var listed []sim.Time
	b.up.react = func(env *sim.Env, m *sim.Message) bool {
		switch r := m.Payload.(type) {
		case *wire.StatusRequest:
			if r.Endpoint == 1 {
				env.Send(m.Conn, &wire.StatusResponse{Version: "3.5.8"})
			}
		case *wire.RangeRequest:
			listed = append(listed, env.Now())
		}
		return true
	}
	b.start(sim.Options{Mode: sim.Timed}, cfg)
	b.run(10 * time.Second)
	require.Equal(t, []sim.Time{sim.Time(2 * time.Second)}, listed, "the first list comes when the wait for the version is over")
	require.Equal(t, 1, b.covered("API server starts with a warning, version of etcd unknown"))
}

// TestUnstartedServerRefusesEveryRequest: an API server that has not started refuses every
// request, and one that never will gives the reason.
func TestUnstartedServerRefusesEveryRequest(t *testing.T) {
	b := guarded(t, "kep-ga", "default", 1)
	b.ask(&wire.ReadyzRequest{})
	for _, when := range []string{"waits for the version", "older than 3.4.25 or 3.5.8"} {
		for _, req := range []sim.Payload{
			consistentList(), &wire.GetRequest{Key: prefix + "a", ResourceVersion: wire.Unset},
			&wire.WatchRequest{Prefix: prefix},
		} {
			b.ask(req)
			b.settle()
			err, _ := func() (*wire.Error, bool) {
				if _, watch := req.(*wire.WatchRequest); watch {
					e, _ := take[*wire.WatchEvent](b, b.down)
					return e.Err, true
				}
				e, _ := take[*wire.Error](b, b.down)
				return e, true
			}()
			require.Equal(t, wire.Unavailable, err.Code)
			require.Contains(t, err.Message, when)
		}
		if b.cache.Aborted() == "" {
			b.tellVersion("3.5.7")
			require.Contains(t, b.cache.Aborted(), "ConsistentListFromCache")
			require.Contains(t, b.notes, "does not start: "+b.cache.Aborted())
		}
	}
	require.Zero(t, count[*wire.ReadyzResponse](b.down))
	require.Equal(t, 1, b.covered("API server does not start, etcd too old"))
	require.Equal(t, 6, b.covered("request to an API server that has not started"))
	require.Zero(t, count[*wire.RangeRequest](b.up), "it asks etcd for nothing else")
}

// TestUnsupportedProgressIsNotRequested: reads that wait for a given version wait
// for what comes by itself.
func TestUnsupportedProgressIsNotRequested(t *testing.T) {
	for _, gate := range []string{"default", "disabled"} {
		b := guarded(t, "none", gate, 1)
		b.listed(5)
		b.ask(&wire.ListRequest{Prefix: prefix, ResourceVersion: 9, Match: wire.MatchNotOlderThan})
		b.settle()
		for i := 0; i < 3 && b.can("progress request period"); i++ {
			b.do("progress request period")
			b.settle()
			if gate == "default" {
				break
			}
		}
		want := 0
		if gate == "default" {
			want = 1
		}
		require.Equal(t, want, count[*wire.ProgressRequest](b.up), gate)
		b.do("timeout of read")
		b.settle()
		err, _ := take[*wire.Error](b, b.down)
		require.Equal(t, wire.TooLargeResourceVersion, err.Code)
	}
}

// TestVersionIsAskedForAgainInTime: 10 ms, and then twice as long each time, up
// to 15 s.
func TestVersionIsAskedForAgainInTime(t *testing.T) {
	var asked []sim.Time
	o, err := cache.Options{}.With("version-check", "shipped")
	require.NoError(t, err)
	b := &bed{t: t, up: &puppet{}, down: &puppet{}, choices: map[string]int{}}
	b.up.react = func(env *sim.Env, m *sim.Message) bool {
		if _, status := m.Payload.(*wire.StatusRequest); status {
			asked = append(asked, env.Now())
			env.Send(m.Conn, &wire.Error{Code: wire.Unavailable, Message: "down"})
			return true
		}
		return false
	}
	b.start(sim.Options{Mode: sim.Timed}, config(o))
	for b.w.Now() < sim.Time(60*time.Second) && b.w.Step(b) {
	}
	want := []time.Duration{0, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10240, 15000, 15000}
	var at time.Duration
	for i, d := range want {
		at += d * ms
		require.Equal(t, sim.Time(at), asked[i], "attempt %d", i)
	}
}

func TestGuardIsCloned(t *testing.T) {
	b := guarded(t, "shipped", "default", 2)
	b.tellVersion("3.5.13")
	c := b.clone()
	before := c.cache.Fingerprint(sim.NewDigest)
	require.Equal(t, before, b.cache.Fingerprint(sim.NewDigest))
	b.tellVersion("3.5.12")
	require.Equal(t, before, c.cache.Fingerprint(sim.NewDigest))
	require.NotEqual(t, before, b.cache.Fingerprint(sim.NewDigest))
	require.Equal(t, "cache", c.servedBy())
	require.Equal(t, "etcd", b.servedBy())
}

// TestANewProcessAsksAgain: what was known of etcd dies with the process.
func TestANewProcessAsksAgain(t *testing.T) {
	o, err := cache.Options{}.With("version-check", "shipped")
	require.NoError(t, err)
	b := &bed{t: t, up: &puppet{manual: true}, down: &puppet{manual: true}, choices: map[string]int{}, cache: cache.New(config(o))}
	b.w = sim.NewWorld(sim.Options{})
	b.w.Add("up", b.up)
	b.w.Add("cache", b.cache)
	b.w.Add("down", b.down)
	b.w.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{cacheID}, Label: "cache"}, sim.Budget{Times: 1})
	b.w.Start(b)
	for _, later := range []bool{false, true} {
		if later {
			b.do("inject restart cache")
		}
		for b.can("deliver cache>up") {
			b.do("deliver cache>up")
		}
		list, conn := take[*wire.RangeRequest](b, b.up)
		require.NotEmpty(t, list.RangeEnd)
		b.act(b.up, func(env *sim.Env) { env.Send(conn, &wire.RangeResponse{Revision: 5}) })
		b.do("deliver up>cache")
		before := b.covered("list delegated to etcd")
		b.ask(consistentList())
		require.Equal(t, before+1, b.covered("list delegated to etcd"), "no endpoint has answered yet")
		_, conn = take[*wire.StatusRequest](b, b.up)
		b.act(b.up, func(env *sim.Env) { env.Send(conn, &wire.StatusResponse{Version: "3.5.13"}) })
		b.do("deliver up>cache")
		b.ask(consistentList())
		require.Equal(t, before+1, b.covered("list delegated to etcd"), "now it is the cache's")
	}
}

// TestReflectorWithoutTheGateWatchList: the cache's own start lists then, as its
// lister and watcher refuse what the API machinery would refuse.
func TestReflectorWithoutTheGateWatchList(t *testing.T) {
	for gate, pages := range map[string]int{"default": 0, "disabled": 1} {
		o, err := cache.Options{}.With("reflector-list", "watch-list")
		require.NoError(t, err)
		o, err = o.With("watch-list", gate)
		require.NoError(t, err)
		b := newBed(t, config(o))
		b.settle()
		require.Equal(t, pages, count[*wire.RangeRequest](b.up), gate)
		require.Equal(t, 1-pages, count[*wire.WatchStart](b.up), gate)
	}
}
