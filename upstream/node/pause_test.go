package node_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/engine"
	"github.com/watchbed/watchbed/upstream/guests"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// twoGoroutines is a guest with two that can run once a client asks: the cache is at 7 after the first, and at 8 after
// the second.
func twoGoroutines(g *scripted, _ engine.Host, _ uint32, _ *protocol.Reader) {
	stores := func(resourceVersion int64) func(*scripted, engine.Host) {
		return func(g *scripted, _ engine.Host) { g.shown = shows(resourceVersion, 0) }
	}
	g.runnable = append(g.runnable, goroutine{"first", stores(7)}, goroutine{"second", stores(8)})
}

const (
	areLate   = "goroutines are late"
	lateAfter = "how many goroutines run before the others"
	theLoop   = "run cache goroutines"
)

func (b *bed) canRun() bool {
	return slices.ContainsFunc(b.names(), func(n string) bool { return strings.Contains(n, theLoop) })
}

func TestGoroutinesRunUntilAllWait(t *testing.T) {
	b := newBed(t, sim.Untimed, guests.Schedule{}, script{protocol.Readyz: twoGoroutines})
	b.choices[areLate] = 1
	b.ask(&wire.ReadyzRequest{})
	require.EqualValues(t, 8, b.node.ResourceVersion(), "the question is not asked of a guest whose name does not end with :late")
	require.False(t, b.canRun())
	require.False(t, b.node.Hidden())
}

// Judges see the cache as it is between two waits of its goroutines.
func TestLateGoroutinesRunInLaterSteps(t *testing.T) {
	b := newBed(t, sim.Untimed, guests.Schedule{Late: true}, script{protocol.Readyz: twoGoroutines})
	b.choices[areLate], b.choices[lateAfter] = 1, 0
	b.ask(&wire.ReadyzRequest{})
	require.Zero(t, b.node.ResourceVersion(), "none has run, not for the look either")
	require.True(t, b.canRun())
	b.step(theLoop)
	require.EqualValues(t, 7, b.node.ResourceVersion(), "a step of the loop runs one at least")
	require.False(t, b.node.Hidden())
	require.True(t, b.canRun())
	b.choices[areLate] = 0
	b.step(theLoop)
	require.EqualValues(t, 8, b.node.ResourceVersion())
	require.False(t, b.canRun())
}

func TestLateGoroutinesRunWithTheNextMessageToo(t *testing.T) {
	b := newBed(t, sim.Untimed, guests.Schedule{Late: true}, script{protocol.Readyz: twoGoroutines})
	b.choices[areLate], b.choices[lateAfter] = 1, 1
	b.ask(&wire.ReadyzRequest{})
	require.EqualValues(t, 7, b.node.ResourceVersion(), "one has run")
	b.choices[areLate] = 0
	b.admit(clientID, func(env *sim.Env) { env.Send(env.Open(cacheID), &wire.WatchRequest{Prefix: "/registry/pods/"}) })
	b.deliver()
	require.EqualValues(t, 8, b.node.ResourceVersion())
	require.False(t, b.canRun())
}

// A goroutine may be stopped in a critical section with :locks:late. Until all wait judges see the cache as it was
// before, and no snapshots.
func TestGuestIsHiddenWhileAGoroutineMayHoldALock(t *testing.T) {
	snapshots := func(_ *scripted, h engine.Host, _ uint32, _ *protocol.Reader) {
		h.Send(message(protocol.Snapshots, 0).Int(1).Int(5).Int(0).Bytes)
	}
	b := newBed(t, sim.Untimed, guests.Schedule{Locks: true, Late: true}, script{protocol.Readyz: twoGoroutines, protocol.Recall: snapshots})
	until := func() (all []int64) {
		b.node.AscendSnapshots(func(until int64, _ func(func(*wire.KeyValue) bool)) { all = append(all, until) })
		return all
	}
	b.guest.shown = shows(6, 0)
	b.ask(&wire.ListRequest{Prefix: "/registry/pods/"})
	require.Equal(t, []int64{6}, until())
	require.NotContains(t, b.guest.handed, handed{protocol.Recall, 0}, "a clone of the guest is asked")
	b.choices[areLate], b.choices[lateAfter] = 1, 1
	b.ask(&wire.ReadyzRequest{})
	require.True(t, b.node.Hidden())
	require.EqualValues(t, 6, b.node.ResourceVersion())
	require.Empty(t, until())
	b.choices[areLate] = 0
	b.step(theLoop)
	require.False(t, b.node.Hidden())
	require.EqualValues(t, 8, b.node.ResourceVersion())
	require.Equal(t, []int64{8}, until())
}
