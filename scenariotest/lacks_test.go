package scenariotest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/scenariotest"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/follower"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// passing has etcd answer each LIST, and refuses watches as each follower does. With stale set it answers a LIST
// itself, at once.
type passing struct {
	*follower.Follower
	kv    sim.NodeID
	stale bool
	lists map[sim.Conn]sim.Conn
}

func (p *passing) Receive(env *sim.Env, m *sim.Message) {
	if l, ok := m.Payload.(*wire.ListRequest); ok && !p.stale {
		end := strings.TrimSuffix(l.Prefix, "/") + "0"
		p.lists[env.Call(p.kv, &wire.RangeRequest{Key: l.Prefix, RangeEnd: end})] = m.Conn
		return
	}
	client, asked := p.lists[m.Conn]
	if !asked {
		p.Follower.Receive(env, m)
		return
	}
	delete(p.lists, m.Conn)
	if r, ok := m.Payload.(*wire.RangeResponse); ok {
		env.Send(client, &wire.ListResponse{ResourceVersion: r.Revision, Items: r.Kvs, Origin: wire.FromEtcd})
		return
	}
	env.Send(client, &wire.Error{Code: wire.Unavailable})
}

func (p *passing) Restart(env *sim.Env) {
	clear(p.lists)
	p.Follower.Restart(env)
}

func registerPassing(name string, stale bool, lacks ...string) {
	cache.RegisterDesign(cache.Design{
		Preset: option.Preset{Name: name, Doc: "has etcd answer each LIST", Settings: option.Settings("freshness=direct")},
		New: func(c cache.Config) sim.Node {
			f := follower.New(c, func(f *follower.Follower, _ *sim.Env, l *wire.ListRequest) sim.Payload { return f.Contents(l.Prefix) })
			return &passing{f, c.KV, stale, map[sim.Conn]sim.Conn{}}
		},
		Lacks: lacks,
	})
}

// TestADesignSaysWhatItLacks: a correct cache passes that has nothing which some properties are about. What it does
// have is judged, whatever it says.
func TestADesignSaysWhatItLacks(t *testing.T) {
	lacks := []string{
		"timers-owned", "ordered", "unique", "reliable", "bookmarkable", "event-types", "justified-refusals",
		"nothing-left", "watches-keep-up", "bookmarks-come",
	}
	registerPassing("test-passing", false, lacks...)
	registerPassing("test-passing-all", false, lacks[1:]...)
	registerPassing("test-stale", true, append(lacks, "linearizable", "linearizable-data")...)
	registerPassing("test-misspelt", false, "relyable")
	t.Chdir(t.TempDir())
	recovery, consistent := scenarios.Recovery.Params, scenarios.ConsistentList.Params
	recovery.Cache, consistent.Cache = "test-passing", "test-passing"
	scenariotest.MustHold(t, scenarios.Recovery, recovery, 30)
	scenariotest.MustHold(t, scenarios.ConsistentList, consistent, 30)

	recovery.Cache = "test-passing-all"
	failing := &captured{TB: t}
	scenariotest.MustHold(failing, scenarios.Recovery, recovery, 30)
	require.Equal(t, []string{"timers-owned: vacuous, none of 30 schedules checked it"}, failing.errors)

	// What decides, and where the run turns, is found sooner of fewer clients.
	consistent.Cache, consistent.Workload.Writers, consistent.Workload.Readers = "test-stale", 1, 1
	failing = &captured{TB: t}
	scenariotest.MustHold(failing, scenarios.ConsistentList, consistent, 30)
	require.Contains(t, strings.Join(failing.errors, "\n"), "linearizable-data ")

	recovery.Cache = "test-misspelt"
	failing = &captured{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		scenariotest.MustHold(failing, scenarios.Recovery, recovery, 1)
	}()
	<-done
	require.Contains(t, failing.errors[0], `what the design test-misspelt lacks: unknown property "relyable"`)
}
