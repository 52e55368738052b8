package informer_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/wire"
)

var checking = informer.Config{Options: informer.Options{List: informer.ByWatchList, Check: true}}

func exactly(version int64) wire.ListRequest {
	return wire.ListRequest{ResourceVersion: version, Match: wire.MatchExact}
}

func TestAStreamedListIsComparedBeforeItIsUsed(t *testing.T) {
	b := newBed(t, sim.Untimed, checking)
	conn := b.watchList(wire.Unset)
	b.send(conn, added(item("b", 3)), added(item("a", 2)), endOfInitialEvents(9), added(item("c", 10)))
	// Meanwhile the stream is not read.
	b.holds(0)
	b.list(exactly(9), listed(9, item("a", 2), item("b", 3)))
	b.holds(10, "a@2", "b@3", "c@10")
	b.idle()
	require.Equal(t, informer.Record{Requests: 1, Requested: wire.Unset, Streamed: 1, Checked: 1}, *b.informer.Record())
}

func TestADifferentListMakesTheDetectorPanic(t *testing.T) {
	other := item("a", 2)
	other.Value = "another"
	for name, list := range map[string][]*wire.KeyValue{
		"missing": {item("a", 2), item("b", 3)},
		"ghost":   {},
		"older":   {item("a", 1)},
		"other":   {other},
		"key":     {item("b", 2)},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t, sim.Untimed, checking)
			b.send(b.watchList(wire.Unset), added(item("a", 2)), endOfInitialEvents(9))
			b.list(exactly(9), listed(9, list...))
			require.True(t, b.informer.Record().Panicked)
			b.holds(0)
			b.idle()
			_, can := b.find("fire informer")
			require.False(t, can, "it is dead")
			b.do("inject restart informer")
			b.watchList(wire.Unset)
		})
	}
}

// It asks once a second without a limit: for ever, if etcd has compacted
// the revision.
func TestARefusedComparisonIsRepeated(t *testing.T) {
	b := newBed(t, sim.Timed, checking)
	b.send(b.watchList(wire.Unset), added(item("a", 2)), endOfInitialEvents(9))
	for i := range 100 {
		require.Equal(t, time.Duration(i)*time.Second, b.w.Now().Sub(0))
		b.list(exactly(9), gone)
		b.do("fire informer consistency check again")
	}
	b.holds(0)
	b.list(exactly(9), listed(9, item("a", 2)))
	b.holds(9, "a@2")
}

// The watch may time out meanwhile: the informer finds out when it reads on.
func TestAWatchThatTimesOutDuringTheComparisonIsResumed(t *testing.T) {
	b := newBed(t, sim.Timed, checking)
	b.send(b.watchList(wire.Unset), added(item("a", 2)), endOfInitialEvents(9))
	_, conn := take[*wire.ListRequest](b)
	b.do("fire informer watch timeout")
	b.holds(0)
	b.act(func(env *sim.Env) { env.Send(conn, listed(9, item("a", 2))) })
	b.holds(9, "a@2")
	b.watch(9)
}
