package cache_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// waitingList is a cache at 5 with a consistent list that waits for 6. It returns
// the step in which the list began to wait.
func waitingList(t *testing.T, design string) (*bed, *sim.Footprint) {
	b := newBed(t, config(options(t, design)))
	b.listed(5, kv("a", "1", 5))
	b.ask(consistentList())
	b.settle()
	_, conn := take[*wire.RangeRequest](b, b.up)
	b.act(b.up, func(env *sim.Env) { env.Send(conn, &wire.RangeResponse{Revision: 6}) })
	return b, b.touched("deliver up>cache")
}

// A story goes back from an answer to the event that made the cache fresh, and to
// where the list began to wait for it.
func TestAnAnswerLeadsBackToItsWaitAndToTheEvent(t *testing.T) {
	b, waits := waitingList(t, "kep-2340")
	b.send(added("b", "1", 6))
	ingested := b.touched("deliver up>cache")
	answered := b.touched("run cache read 0")
	require.True(t, answered.Conflicts(ingested))
	found := foundBy(answered, []*sim.Footprint{waits, ingested})
	require.Contains(t, found, waits)
	require.Contains(t, found, ingested)
}

func TestAProgressRequestLeadsBackToTheReadThatWaits(t *testing.T) {
	b, waits := waitingList(t, "kep-2340")
	b.do("run cache progress requester")
	asked := b.touched("fire cache progress request period")
	require.Contains(t, foundBy(asked, []*sim.Footprint{waits}), waits)
}

func TestATimeoutLeadsBackToItsTimer(t *testing.T) {
	b, waits := waitingList(t, "kep-2340")
	expired := b.touched("fire cache timeout of read 0")
	rejected := b.touched("run cache read 0")
	found := foundBy(rejected, []*sim.Footprint{waits, expired})
	require.Contains(t, found, waits)
	require.Contains(t, found, expired)
}

// A read of one object depends on that object, not on what came to the others.
func TestAGetLeadsBackToItsOwnObject(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5, kv("a", "1", 4), kv("b", "1", 5))
	b.send(modified(kv("a", "1", 4), "2", 6), modified(kv("b", "1", 5), "2", 7))
	ofA := b.touched("deliver up>cache")
	b.settle()
	objects := func(f *sim.Footprint) (items []int64) {
		for _, a := range f.Accesses {
			if a.Cell.Kind.String() == "cache: store" {
				items = append(items, a.Cell.Item)
			}
		}
		return items
	}
	b.act(b.down, func(env *sim.Env) { env.Call(cacheID, &wire.GetRequest{Key: prefix + "a"}) })
	got := b.touched("deliver down>cache")
	require.NotEmpty(t, objects(got))
	require.Subset(t, objects(ofA), objects(got))
	require.NotContains(t, objects(got), int64(0), "not the whole store")
}

func TestDelegatedReadsCommuteWithEvents(t *testing.T) {
	b := newBed(t, config(options(t, "direct")))
	b.listed(5, kv("a", "1", 5))
	b.ask(consistentList())
	b.settle()
	_, conn := take[*wire.RangeRequest](b, b.up)
	b.act(b.up, func(env *sim.Env) { env.Send(conn, &wire.RangeResponse{Revision: 6}) })
	answered := b.touched("deliver up>cache")
	b.send(added("b", "1", 6))
	ingested := b.touched("deliver up>cache")
	require.False(t, answered.Conflicts(ingested))
}
