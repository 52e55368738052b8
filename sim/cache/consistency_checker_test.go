package cache_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/wire"
)

func checkerConfig(checker check.ConsistencyChecker) cache.Config {
	return snapshotConfig(func(o *cache.Options) {
		o.Checks.ConsistencyChecker = checker
	})
}

// check lets a check begin, and etcd answer with these objects.
func (b *bed) check(etcd ...*wire.KeyValue) *wire.RangeRequest {
	b.t.Helper()
	b.do("fire cache consistency check")
	b.settle()
	return b.answer(&wire.RangeResponse{Revision: 100, Kvs: etcd})
}

func (b *bed) outcomes() (all []check.Outcome) {
	for _, d := range b.cache.Detections() {
		require.Equal(b.t, check.ConsistencyCheck, d.By)
		all = append(all, d.Outcome)
	}
	return all
}

// What etcd has at 9 after pastBed.
var atNine = kv("b", "1", 8)

func TestCheckThatMatches(t *testing.T) {
	b := pastBed(t, checkerConfig(check.ConsistencyCheckerFallback))
	assert.Equal(t, &wire.RangeRequest{Key: prefix, RangeEnd: "/registry/pods0", Limit: 10000, Revision: 9}, b.check(atNine))
	assert.Equal(t, []check.Outcome{check.Consistent}, b.outcomes())
	assert.Equal(t, "a=2 b=1", b.exact(8))
}

// After a mismatch exact reads are etcd's until a check succeeds; reads of the
// newest state are the cache's all the time. Snapshots then begin with the next
// event.
func TestCheckThatFailsSuspendsSnapshots(t *testing.T) {
	b := pastBed(t, checkerConfig(check.ConsistencyCheckerFallback))
	b.check(atNine, kv("c", "1", 7))
	assert.Equal(t, fromEtcd, b.exact(9))
	assert.Equal(t, "b=1", b.newest())
	b.send(added("d", "1", 10))
	b.settle()
	assert.Equal(t, fromEtcd, b.exact(10))
	assert.Equal(t, "b=1 d=1", b.newest())

	b.check(atNine, kv("d", "1", 10))
	assert.Equal(t, fromEtcd, b.exact(10), "allowed, but there is no snapshot yet")
	b.send(added("e", "1", 11))
	b.settle()
	assert.Equal(t, fromEtcd, b.exact(10))
	assert.Equal(t, "b=1 d=1 e=1", b.exact(11))
	assert.Equal(t, []check.Outcome{check.Inconsistent, check.Consistent}, b.outcomes())
}

// newest is what a list of whatever there is says.
func (b *bed) newest() string {
	b.t.Helper()
	b.ask(&wire.ListRequest{Prefix: prefix})
	b.settle()
	list, _ := take[*wire.ListResponse](b, b.down)
	return objects(list.Items)
}

func TestCheckThatFailsPanics(t *testing.T) {
	b := pastBed(t, checkerConfig(check.ConsistencyCheckerPanic))
	b.do("fire cache consistency check")
	b.settle()
	require.True(t, b.cache.Ready())
	b.answer(&wire.RangeResponse{Revision: 100})
	assert.False(t, b.cache.Ready(), "a new process lists first")
	assert.Equal(t, 1, b.covered("process ended by a failed consistency check"))
	b.answer(&wire.RangeResponse{Revision: 100, Kvs: []*wire.KeyValue{kv("c", "1", 7)}})
	assert.Equal(t, "c=1", b.newest())
	assert.Equal(t, []check.Outcome{check.Inconsistent}, b.outcomes(), "what was found is not forgotten")
}

func TestCheckWithoutAnAnswerChangesNothing(t *testing.T) {
	b := pastBed(t, checkerConfig(check.ConsistencyCheckerFallback))
	b.do("fire cache consistency check")
	b.settle()
	b.answer(&wire.Error{Code: wire.ErrCompacted})
	assert.Equal(t, []check.Outcome{check.Error}, b.outcomes())
	assert.Equal(t, "a=2 b=1", b.exact(8))

	b.check()
	require.Equal(t, fromEtcd, b.exact(9))
	assert.False(t, b.can("consistency check"), "untimed there is an end to it")
}

func TestCheckWhileNotReadyDoesNotAskEtcd(t *testing.T) {
	b := newBed(t, checkerConfig(check.ConsistencyCheckerFallback))
	b.settle()
	b.do("fire cache consistency check")
	b.settle()
	assert.Equal(t, 1, count[*wire.RangeRequest](b.up), "the reflector's")
	assert.Empty(t, b.outcomes())
	assert.True(t, b.can("consistency check"))
}

func TestCheckOfSeveralPages(t *testing.T) {
	cfg := checkerConfig(check.ConsistencyCheckerFallback)
	cfg.ListPageSize = 2
	b := newBed(t, cfg)
	a, z := kv("a", "1", 3), kv("z", "1", 4)
	b.listed(5, a, z)
	b.do("fire cache consistency check")
	b.settle()
	b.answer(&wire.RangeResponse{Revision: 5, Kvs: []*wire.KeyValue{a}, More: true})
	req := b.answer(&wire.RangeResponse{Revision: 5, Kvs: []*wire.KeyValue{z}})
	assert.Equal(t, prefix+"a\x00", req.Key)
	assert.EqualValues(t, 5, req.Revision)
	assert.Equal(t, []check.Outcome{check.Consistent}, b.outcomes())
}

// An event that comes in while etcd lists is not a difference: both are of the
// resourceVersion at which the check began.
func TestCheckIsOfOneRevision(t *testing.T) {
	b := pastBed(t, checkerConfig(check.ConsistencyCheckerFallback))
	b.do("fire cache consistency check")
	b.settle()
	b.send(added("d", "1", 10))
	b.settle()
	b.answer(&wire.RangeResponse{Revision: 10, Kvs: []*wire.KeyValue{atNine}})
	assert.Equal(t, []check.Outcome{check.Consistent}, b.outcomes())
}

// The first wait and the period are uniform in [5 min, 7.5 min), and the next
// wait begins when a check has ended. 16 of 64 is a quarter of the jitter.
func TestCheckPeriod(t *testing.T) {
	var at []sim.Time
	up := &puppet{react: func(env *sim.Env, m *sim.Message) bool {
		if p, ok := m.Payload.(*wire.RangeRequest); ok {
			if p.Revision > 0 {
				at = append(at, env.Now())
			}
			env.Send(m.Conn, &wire.RangeResponse{Revision: 5})
		}
		return true
	}}
	b := &bed{t: t, up: up, down: &puppet{}, choices: map[string]int{"jitter of the consistency check": 16}}
	b.start(sim.Options{Mode: sim.Timed}, checkerConfig(check.ConsistencyCheckerFallback))
	for b.w.Now() < sim.Time(20*time.Minute) && b.w.Step(b) {
		if len(at) == 2 {
			b.choices["jitter of the consistency check"] = 0
		}
	}
	first := 5*time.Minute + 37500*time.Millisecond
	second := first + 5*time.Minute + 37500*time.Millisecond
	assert.Equal(t, []sim.Time{sim.Time(first), sim.Time(second), sim.Time(second + 5*time.Minute)}, at[:3])
}

func detectorConfig() cache.Config {
	return config(cache.Options{Checks: check.Options{ComparesLists: true}})
}

// A list that the cache answered is asked of etcd at the resourceVersion of the
// answer; the client has its answer before.
func TestInconsistencyDetector(t *testing.T) {
	for name, tc := range map[string]struct {
		etcd sim.Payload
		want check.Outcome
	}{
		"equal":           {&wire.RangeResponse{Revision: 12, Kvs: []*wire.KeyValue{atNine}}, check.Consistent},
		"another value":   {&wire.RangeResponse{Revision: 12, Kvs: []*wire.KeyValue{kv("b", "2", 8)}}, check.Inconsistent},
		"another version": {&wire.RangeResponse{Revision: 12, Kvs: []*wire.KeyValue{kv("b", "1", 7)}}, check.Inconsistent},
		"one missing":     {&wire.RangeResponse{Revision: 12}, check.Inconsistent},
		"refused":         {&wire.Error{Code: wire.ErrCompacted}, check.Error},
	} {
		t.Run(name, func(t *testing.T) {
			b := pastBed(t, detectorConfig())
			assert.Equal(t, "b=1", b.newest())
			req := b.answer(tc.etcd)
			assert.Equal(t, &wire.RangeRequest{Key: prefix, RangeEnd: "/registry/pods0", Revision: 9}, req)
			require.Len(t, b.cache.Detections(), 1)
			assert.Equal(t, tc.want, b.cache.Detections()[0].Outcome)
		})
	}
}

func TestInconsistencyDetectorLeavesAloneWhatEtcdAnswered(t *testing.T) {
	b := pastBed(t, detectorConfig())
	b.ask(&wire.ListRequest{Prefix: prefix, ResourceVersion: 8, Match: wire.MatchExact})
	b.settle()
	b.answer(&wire.RangeResponse{Revision: 9})
	assert.Zero(t, count[*wire.RangeRequest](b.up))
	assert.Empty(t, b.cache.Detections())
}
