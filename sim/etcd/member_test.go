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

// newFollowerBench is a bench with a leader, a follower behind it, and a fault.
func newFollowerBench(t *testing.T, f sim.Fault) *bench {
	cfg, err := etcd.DefaultConfig("3.5.35")
	require.NoError(t, err)
	cfg.Replicated = true
	b := &bench{t: t, w: sim.NewWorld(sim.Options{}), server: etcd.New(cfg), user: &user{streams: map[string]sim.Conn{}}}
	cfg.Leader, cfg.Replicated = b.w.Add("etcd", b.server), false
	b.w.Add("follower", etcd.New(cfg))
	b.w.Add("user", b.user)
	b.w.AddFault(f, sim.Budget{Times: 1})
	b.w.Start(b)
	return b
}

// A follower answers a linearizable read when it has applied what the leader says is
// committed, and a serializable one from what it has.
func TestFollowerReads(t *testing.T) {
	b := newFollowerBench(t, &sim.RestartProcess{Nodes: []sim.NodeID{1}, Label: "etcd"})
	read := func(serializable bool) {
		b.do(func(env *sim.Env) { env.Call(2, &wire.RangeRequest{Key: "a", Serializable: serializable}) })
	}
	b.step("deliver follower>etcd").put("a", "1").step("deliver etcd>user")
	b.take()

	read(true)
	b.settle("etcd>follower")
	require.EqualValues(t, 1, b.last().(*wire.RangeResponse).Revision, "the entry has not come yet")

	read(false)
	b.step("deliver user>follower", "run follower linearizableReadLoop")
	b.step("inject restart etcd")
	b.settle("etcd>follower")
	require.Empty(t, b.user.told, "the leader is gone before it was asked")
	b.settle()
	answer := b.last().(*wire.RangeResponse)
	require.EqualValues(t, 2, answer.Revision)
	require.EqualValues(t, 1, answer.Count)
	require.EqualValues(t, 1, b.covered("linearizable read waits for apply"))
	require.EqualValues(t, 2, b.covered("follower asks the leader what is committed"), "again when the connection is gone")
}

// A leader that has lost the others says nothing before it leads again.
func TestFollowerReadsWaitForALeader(t *testing.T) {
	b := newFollowerBench(t, &etcd.LoseLeader{Nodes: []sim.NodeID{1}, Label: "etcd"})
	b.step("inject no leader")
	b.do(func(env *sim.Env) { env.Call(2, &wire.RangeRequest{Key: "a"}) }).settle()
	require.Empty(t, b.user.told)
	b.step("fire etcd leader", "fire etcd leader").settle()
	require.EqualValues(t, 1, b.last().(*wire.RangeResponse).Revision)
}

// A turn of linearizableReadLoop that waits for an entry to be applied has its index: the
// change of the leader neither ends that nor fails it.
func TestLeaderChangesWhileReadsWaitForApply(t *testing.T) {
	b := newBenchWith(t, &etcd.LoseLeader{Nodes: []sim.NodeID{1}, Label: "etcd"}, "3.5.35")
	b.call(&wire.PutRequest{Key: "a"}).step("deliver user>etcd")
	b.call(&wire.RangeRequest{Key: "a"}).step("deliver user>etcd", "run etcd linearizableReadLoop")
	b.step("inject no leader").settle("applyLoop")
	b.call(&wire.RangeRequest{Key: "a"}).step("deliver user>etcd")
	b.step("fire etcd leader", "fire etcd leader").settle("applyLoop")
	require.Empty(t, b.user.told, "the write is not applied")
	b.settle()
	require.Len(t, b.user.told, 3)
}
