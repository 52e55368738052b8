package cache_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// touched carries out an action and returns the cells that its step declares.
func (b *bed) touched(text string) *sim.Footprint {
	b.t.Helper()
	f := &sim.Footprint{}
	b.w.RecordCells(f)
	defer b.w.RecordCells(nil)
	b.do(text)
	return f
}

// foundBy returns the steps of the cache that left what a later one found there, of
// steps in order.
func foundBy(later *sim.Footprint, before []*sim.Footprint) (found []*sim.Footprint) {
	for _, read := range later.Accesses {
		if read.Write || read.Cell.Node != cacheID {
			continue
		}
		for _, f := range slices.Backward(before) {
			wrote := func(a sim.Access) bool { return a.Write && a.Cell.Covers(read.Cell) }
			if slices.ContainsFunc(f.Accesses, wrote) {
				found = append(found, f)
				break
			}
		}
	}
	return found
}

func TestTurnsOfDifferentWatchersCommute(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5, kv("a", "1", 4), kv("b", "1", 5))
	for range 2 {
		b.ask(&wire.WatchRequest{Prefix: prefix})
	}
	b.do("run cache watcher 0")
	b.do("run cache watcher 1")
	first, second := b.touched("run cache watcher 0"), b.touched("run cache watcher 1")
	require.False(t, first.Conflicts(second), "both send initial events")
	b.settle()
	b.send(added("c", "1", 6))
	b.do("deliver up>cache")
	b.do("run cache hand over")
	b.do("run cache dispatchEvents")
	first, second = b.touched("run cache watcher 0"), b.touched("run cache watcher 1")
	require.False(t, first.Conflicts(second), "both send what was dispatched")
}

func TestInitialEventsAndDispatchCommute(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5, kv("a", "1", 4), kv("b", "1", 5))
	b.ask(&wire.WatchRequest{Prefix: prefix})
	b.do("run cache watcher 0")
	b.send(added("c", "1", 6))
	b.do("deliver up>cache")
	b.do("run cache hand over")
	dispatch, turn := b.touched("run cache dispatchEvents"), b.touched("run cache watcher 0")
	require.False(t, dispatch.Conflicts(turn))
	b.do("run cache watcher 0")
	turn = b.touched("run cache watcher 0")
	require.True(t, dispatch.Conflicts(turn), "it is the first one from its channel")
}

// A story goes back from an event that a client is sent, step by step, to where the
// cache took it in, and to the registration of the watch.
func TestAnEventSentLeadsBackToItsIngestion(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5, kv("a", "1", 5))
	b.ask(&wire.WatchRequest{Prefix: prefix})
	var steps []*sim.Footprint
	step := func(text string) *sim.Footprint {
		steps = append(steps, b.touched(text))
		return steps[len(steps)-1]
	}
	registered := step("run cache watcher 0")
	step("run cache watcher 0")
	b.settle()
	b.send(added("b", "1", 6), added("c", "1", 7))
	type way struct{ ingested, handedOver, dispatched *sim.Footprint }
	var ways []way
	for range 2 {
		ways = append(ways, way{step("deliver up>cache"), step("run cache hand over"), step("run cache dispatchEvents")})
	}
	before := func(f *sim.Footprint) []*sim.Footprint { return steps[:slices.Index(steps, f)] }
	for _, of := range ways {
		sent := step("run cache watcher 0")
		require.ElementsMatch(t, []*sim.Footprint{registered, of.dispatched}, foundBy(sent, before(sent)))
		require.Contains(t, foundBy(of.dispatched, before(of.dispatched)), of.handedOver)
		require.Contains(t, foundBy(of.handedOver, before(of.handedOver)), of.ingested)
	}
}

// The same for an event from before the watch, which the history has kept.
func TestAnInitialEventLeadsBackToItsIngestion(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5)
	b.send(added("a", "1", 6), added("b", "1", 7))
	var steps []*sim.Footprint
	for range 2 {
		steps = append(steps, b.touched("deliver up>cache"))
		b.do("run cache hand over")
	}
	b.settle()
	b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 5})
	steps = append(steps, b.touched("run cache watcher 0"))
	for i := range 2 {
		sent := b.touched("run cache watcher 0")
		found := foundBy(sent, steps)
		require.Contains(t, found, steps[i])
		require.NotContains(t, found, steps[1-i])
	}
}
