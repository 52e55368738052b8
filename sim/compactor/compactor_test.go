package compactor_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/trace"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/compactor"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
)

const etcdID sim.NodeID = 1

// first takes what comes first: timed, that is all there is to choose.
type first struct{ sim.Idle }

func (first) Pick(*sim.World, []sim.Action) int  { return 0 }
func (first) Choose(*sim.World, int, string) int { return 0 }

// writer puts a key in the middle of every minute, so that a revision is a time.
type writer struct{ first }

func (w *writer) Start(env *sim.Env) { env.Arm(0, 30*time.Second) }

func (w *writer) Fire(env *sim.Env, _ sim.Timer) {
	env.Call(etcdID, &wire.PutRequest{Key: "/registry/pods/a", Value: "x"})
	env.Arm(0, time.Minute)
}

// cluster is one etcd with API servers of which only client library and
// compactor matter.
type cluster struct {
	t          *testing.T
	w          *sim.World
	etcd       *etcd.Server
	compactors []*compactor.Compactor
	mortals    []*mortal
}

// mortal is a compactor that stops trying.
type mortal struct {
	*compactor.Compactor
	dies sim.Time
}

func (m *mortal) Fire(env *sim.Env, t sim.Timer) {
	if m.dies == 0 || env.Now() < m.dies {
		m.Compactor.Fire(env, t)
	}
}

// newCluster starts API servers whose intervals are these.
func newCluster(t *testing.T, intervals ...time.Duration) *cluster {
	return newTracedCluster(t, nil, intervals...)
}

// newTracedCluster is a cluster whose run a trace takes down, unless that is nil.
func newTracedCluster(t *testing.T, run *trace.Trace, intervals ...time.Duration) *cluster {
	cfg, err := etcd.DefaultConfig("3.6.16")
	require.NoError(t, err)
	library, err := client.DefaultConfig("3.6.16")
	require.NoError(t, err)
	library.Etcd = etcdID
	c := &cluster{t: t, w: sim.NewWorld(sim.Options{Mode: sim.Timed}), etcd: etcd.New(cfg)}
	require.Equal(t, etcdID, c.w.Add("etcd", c.etcd))
	for i, interval := range intervals {
		lib := c.w.Add(fmt.Sprint("client-", i+1), client.New(library))
		n := compactor.New(compactor.Config{KV: etcdID, Watch: lib, Options: compactor.Options{Interval: interval}})
		c.compactors = append(c.compactors, n)
		c.mortals = append(c.mortals, &mortal{Compactor: n})
		c.w.Add(fmt.Sprint("compactor-", i+1), c.mortals[i])
	}
	c.w.Add("writer", &writer{})
	if run != nil {
		run.Follow(c.w)
	}
	c.w.Start(first{})
	return c
}

func (c *cluster) runUntil(at time.Duration) {
	for c.w.Now() <= sim.Time(at) {
		require.True(c.t, c.w.Step(first{}))
	}
}

// compactedAt is etcd's compact revision at the beginning of each of these minutes.
func (c *cluster) compactedAt(minutes ...int) (revs []int64) {
	for _, m := range minutes {
		c.runUntil(time.Duration(m)*time.Minute + 15*time.Second)
		revs = append(revs, c.etcd.CompactRevision())
	}
	return revs
}

func (c *cluster) count(coveragePoint string) int {
	for _, s := range sim.CoveragePoints() {
		if s.String() == "compactor: "+coveragePoint {
			return int(c.w.Count(s))
		}
	}
	panic("no coverage point " + coveragePoint)
}

// The revision is 1 at the start, and one more after each minute and each
// transaction that wrote the key. Worked out by hand:
//
//	 5 min: writes 1..5 make 6; the key is made, at 7; nothing is compacted
//	10 min: writes make 12; the key is written at 13; etcd is compacted at 7
//	15 min: writes make 18; key at 19; compacted at 13
func TestOneServerCompactsWhatIsAnIntervalOld(t *testing.T) {
	c := newCluster(t, 5*time.Minute)
	assert.Equal(t, []int64{0, 0, 7, 7, 13}, c.compactedAt(4, 5, 10, 14, 15))
	assert.EqualValues(t, 13, c.compactors[0].CompactRevision())
	assert.Equal(t, 2, c.compactors[0].Compactions())
	assert.Equal(t, 1, c.count("first try, nothing to compact to yet"))
	assert.Zero(t, c.count("another server was first"))
}

// The second server tries a little later than the first, every time: it loses,
// and knows at once what the first has compacted.
func TestOfTwoServersOneCompacts(t *testing.T) {
	c := newCluster(t, 5*time.Minute, 5*time.Minute+12*time.Second)
	c.runUntil(21 * time.Minute)
	assert.Equal(t, 3, c.compactors[0].Compactions())
	assert.Zero(t, c.compactors[1].Compactions())
	assert.NotZero(t, c.count("another server was first"))
	assert.Equal(t, c.etcd.CompactRevision(), c.compactors[1].CompactRevision())
}

// A loser hears of a compaction by its watch long before its own next try.
func TestWatchOfCompactRevKeyReportsCompactions(t *testing.T) {
	c := newCluster(t, 5*time.Minute, 50*time.Minute)
	c.runUntil(11 * time.Minute)
	assert.EqualValues(t, 7, c.compactors[1].CompactRevision())
	assert.NotZero(t, c.count("compaction of a server heard of by watch"))
}

// The server that compacted stops, and the other one takes over at its next try after
// that: at 15:36 it still lost.
func TestAnotherServerTakesOver(t *testing.T) {
	c := newCluster(t, 5*time.Minute, 5*time.Minute+12*time.Second)
	c.mortals[0].dies = sim.Time(16 * time.Minute)
	c.runUntil(20 * time.Minute)
	assert.Equal(t, 2, c.compactors[0].Compactions())
	assert.Zero(t, c.compactors[1].Compactions())
	c.runUntil(21 * time.Minute)
	assert.Equal(t, 1, c.compactors[1].Compactions())
	// At 15:36 there had been 16 writes, and the key was written at 5, 10 and 15
	// minutes.
	assert.EqualValues(t, 20, c.etcd.CompactRevision())
}
