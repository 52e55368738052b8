package etcd_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
	"github.com/watchbed/watchbed/sim/wire"
)

func member(t *testing.T, version string, down bool) etcd.Member {
	b, err := etcd.OptionsOf(version)
	require.NoError(t, err)
	return etcd.Member{Version: version, Options: b, Down: down}
}

// newBenchWith is a bench with one more fault.
func newBenchWith(t *testing.T, f sim.Fault, version string, change ...func(*etcd.Config)) *bench {
	cfg, err := etcd.DefaultConfig(version)
	require.NoError(t, err)
	for _, c := range change {
		c(&cfg)
	}
	b := &bench{t: t, w: sim.NewWorld(sim.Options{}), server: etcd.New(cfg), user: &user{streams: map[string]sim.Conn{}}}
	b.w.Add("etcd", b.server)
	b.w.Add("user", b.user)
	b.w.AddFault(f, sim.Budget{Times: 2})
	b.w.Start(b)
	return b
}

// versionOf asks an endpoint for its version.
func (b *bench) versionOf(endpoint int) sim.Payload {
	b.t.Helper()
	b.user.ops = append(b.user.ops, func(env *sim.Env) { env.Call(1, &wire.StatusRequest{Endpoint: endpoint}) })
	b.step("fire user op").settle()
	return b.user.told[len(b.user.told)-1]
}

func TestStatusOfOneMember(t *testing.T) {
	b := newBench(t, "v3.5.7")
	require.Equal(t, &wire.StatusResponse{Version: "3.5.7"}, b.versionOf(0))
	require.Equal(t, wire.BadRequest, b.versionOf(1).(*wire.Error).Code)
	require.Equal(t, wire.BadRequest, b.versionOf(-2).(*wire.Error).Code)
}

func TestFailoverChangesTheRelease(t *testing.T) {
	fault := &etcd.Failover{Node: 1, Label: "etcd"}
	b := newBenchWith(t, fault, "3.5.13", func(c *etcd.Config) {
		c.Members = []etcd.Member{member(t, "3.5.13", false), member(t, "3.5.7", true)}
	})
	require.Equal(t, "3.5.13", b.versionOf(0).(*wire.StatusResponse).Version)
	require.Equal(t, wire.Unavailable, b.versionOf(1).(*wire.Error).Code, "a member that is down does not say")
	require.Equal(t, v3rpc.Dropped, b.server.Serving().Watch.Progress)
	require.True(t, fault.Ready(b.w))

	before := b.server.Fingerprint(sim.NewDigest)
	c := b.server.Clone().(*etcd.Server)
	b.step("inject failover etcd").settle()
	require.Equal(t, v3rpc.ControlQueue, b.server.Serving().Watch.Progress)
	require.Equal(t, "3.5.13", b.versionOf(0).(*wire.StatusResponse).Version)
	require.Equal(t, "3.5.7", b.versionOf(1).(*wire.StatusResponse).Version, "the member that serves is not down")
	require.True(t, fault.Ready(b.w), "and back")

	require.Equal(t, v3rpc.Dropped, c.Serving().Watch.Progress, "the clone goes its own way")
	require.Equal(t, before, c.Fingerprint(sim.NewDigest))
	require.NotEqual(t, before, b.server.Fingerprint(sim.NewDigest))
}

func TestDowngrade(t *testing.T) {
	fault := &etcd.Downgrade{Node: 1, Label: "etcd", To: member(t, "3.5.7", false)}
	b := newBenchWith(t, fault, "3.5.13")
	require.True(t, fault.Ready(b.w))
	b.step("inject downgrade etcd to 3.5.7").settle()
	require.Equal(t, "3.5.7", b.versionOf(0).(*wire.StatusResponse).Version)
	require.Equal(t, v3rpc.ControlQueue, b.server.Serving().Watch.Progress)
	require.False(t, fault.Ready(b.w), "once is enough")

	cfg, err := etcd.DefaultConfig("3.5.13")
	require.NoError(t, err)
	b.server.Reset(cfg)
	require.Equal(t, v3rpc.Dropped, b.server.Serving().Watch.Progress, "the next run begins with the release of its own")
}
