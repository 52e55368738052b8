package cache_test

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
)

// writer puts objects, one after another, straight into etcd.
type writer struct {
	sim.Idle
	left int
	// revision is that of the last write that was answered.
	revision int64
}

func (w *writer) Start(env *sim.Env) { env.Arm(0, 0) }

func (w *writer) Fire(env *sim.Env, _ sim.Timer) {
	w.left--
	key := prefix + string(rune('a'+env.Choose(3, "key")))
	if env.Choose(4, "elsewhere") == 0 {
		key = "/registry/nodes/n"
	}
	env.Call(1, &wire.PutRequest{Key: key, Value: strconv.Itoa(w.left)})
}

func (w *writer) Receive(env *sim.Env, m *sim.Message) {
	w.revision = m.Payload.(*wire.PutResponse).Revision
	if w.left > 0 {
		env.Arm(0, 20*time.Millisecond)
	}
}

// lister asks for consistent lists and holds each against the writes that had
// been answered when it asked.
type lister struct {
	sim.Idle
	w       *writer
	left    int
	asked   int64
	at      sim.Time
	slowest sim.Duration
	stale   int
	served  int
}

func (l *lister) Start(env *sim.Env) { env.Arm(0, time.Millisecond) }

func (l *lister) Fire(env *sim.Env, _ sim.Timer) {
	l.left--
	l.asked, l.at = l.w.revision, env.Now()
	env.Call(3, consistentList())
}

func (l *lister) Receive(env *sim.Env, m *sim.Message) {
	if resp, ok := m.Payload.(*wire.ListResponse); ok {
		l.served++
		l.slowest = max(l.slowest, env.Now().Sub(l.at))
		newest := int64(0)
		for _, kv := range resp.Items {
			newest = max(newest, kv.ModRevision)
		}
		if resp.ResourceVersion < l.asked || newest > resp.ResourceVersion {
			l.stale++
		}
	}
	if l.left > 0 {
		env.Arm(0, 7*time.Millisecond)
	}
}

// stack is the cache on the simulated etcd, with clientv3 and Kubernetes'
// watcher between.
func stack(t *testing.T, mode sim.Options, seed uint64, steps int) (*sim.World, *cache.Cache, *writer, *lister) {
	e, err := etcd.DefaultConfig("3.6.16")
	require.NoError(t, err)
	c, err := client.DefaultConfig("3.6.16")
	require.NoError(t, err)
	c.Etcd = 1
	node := cache.New(cache.Config{Prefix: prefix, KV: 2, Watch: 2, Metadata: "source=cache"})
	wr := &writer{left: 12}
	ls := &lister{w: wr, left: 12}
	w := sim.NewWorld(mode)
	w.Add("etcd", etcd.New(e))
	w.Add("client", client.New(c))
	w.Add("cache", node)
	w.Add("writer", wr)
	w.Add("lister", ls)
	ch := seeded{rand.New(rand.NewPCG(seed, 7))}
	w.Start(ch)
	for range steps {
		if !w.Step(ch) {
			break
		}
	}
	return w, node, wr, ls
}

// On a healthy etcd consistent lists are never stale.
func TestOnSimulatedEtcd(t *testing.T) {
	served := 0
	for seed := range uint64(100) {
		_, _, _, ls := stack(t, sim.Options{}, seed, 2000)
		require.Zero(t, ls.stale, "seed %d", seed)
		served += ls.served
	}
	require.Greater(t, served, 100)
}

// With delays of up to 10 ms every consistent list is served from the cache,
// most within one period of progress requests: #17507 is not here.
func TestOnSimulatedEtcdInTime(t *testing.T) {
	bounds := sim.Bounds{Network: sim.Delay{Max: 5 * ms, Steps: 5}, Scheduling: sim.Delay{Max: ms, Steps: 2}}
	for seed := range uint64(30) {
		_, node, wr, ls := stack(t, sim.Options{Mode: sim.Timed, Safety: bounds}, seed, 20000)
		require.Zero(t, wr.left)
		require.Zero(t, ls.left, "seed %d", seed)
		// The first lists may come before the cache is ready.
		require.GreaterOrEqual(t, ls.served, 6)
		require.Zero(t, ls.stale)
		require.Less(t, ls.slowest, 400*ms)
		require.True(t, node.Ready())
	}
}
