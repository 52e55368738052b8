package client_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/slice"
	"github.com/watchbed/watchbed/diagnosis/trace"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// newStory is a bench whose run a trace takes down.
func newStory(t *testing.T) (*bench, *trace.Trace) {
	run := trace.New(nil)
	b := newBenchIn(t, config(t, newest), sim.Options{}, func(b *bench) { run.Follow(b.w) })
	return b, run
}

// led lists the labels of the messages to the client and to the cache on which the
// last message with a label depends.
func led(t *testing.T, b *bench, run *trace.Trace, label string) map[string]bool {
	t.Helper()
	run.Close(b.w)
	end := -1
	for i := range run.Steps {
		if d := run.Steps[i].Delivered; d >= 0 && run.Messages[d].Label == label {
			end = i
		}
	}
	require.GreaterOrEqual(t, end, 0, "%q was never delivered", label)
	found := map[string]bool{}
	// The test plays both: a step of theirs follows from no earlier one.
	focus := slice.Focus{Spontaneous: map[sim.NodeID]bool{etcdID: true, cacheID: true}}
	for i, in := range slice.New(run, focus).Before(end) {
		if d := run.Steps[i].Delivered; in && d >= 0 {
			found[run.Messages[d].Label] = true
		}
	}
	return found
}

func TestAResumedWatchDependsOnTheProgressThatSetItsRevision(t *testing.T) {
	b, run := newStory(t)
	b.watch("/a/", 4, "")
	b.watch("/b/", 4, "")
	b.settle()
	b.respond(0, createdAt(0, 4))
	b.settle()
	b.respond(0, createdAt(1, 4))
	b.settle()
	b.respond(0, events(0, putAt("/a/x", 5)))
	b.settle()
	b.respond(0, progress(0, 8))
	b.respond(0, progress(1, 9))
	b.settle()
	b.breakStream()
	b.etcd.conns = nil
	b.do("fire client backoff")
	b.settle()
	found := led(t, b, run, "create watch /a/... from 9")
	assert.True(t, found["progress 8"], "the progress that set the revision")
	assert.False(t, found["event /a/x=v5@5"], "an event before it")
	assert.False(t, found["progress 9"], "progress of another watch")
}

func TestAnEventDependsOnTheResponseThatBroughtIt(t *testing.T) {
	b, run := newStory(t)
	b.watch("/a/", 4, "")
	b.settle()
	b.respond(0, createdAt(0, 4))
	b.settle()
	b.respond(0, events(0, putAt("/a/x", 5)), events(0, putAt("/a/x", 6)), events(0, putAt("/a/x", 7)))
	b.settle("run client")
	b.settle()
	found := led(t, b, run, "ADDED RV=6 /a/x=v6")
	assert.True(t, found["event /a/x=v6@6"])
	assert.True(t, found["created, rev 4"], "the watch was registered")
	assert.False(t, found["event /a/x=v5@5"])
	assert.False(t, found["event /a/x=v7@7"])
}

func TestARetriedReadDependsOnTheRefusal(t *testing.T) {
	b, run := newStory(t)
	b.call(&wire.RangeRequest{Key: "/a/"})
	b.settle()
	b.respond(0, &wire.Error{Code: wire.Unavailable})
	b.settle()
	b.do("fire client retry")
	b.settle()
	b.respond(1, &wire.RangeResponse{Revision: 7})
	b.settle()
	assert.True(t, led(t, b, run, "rev 7: 0 items")["error: unavailable"])
}

func TestInitialEventsDependOnTheirPage(t *testing.T) {
	b, run := newStory(t)
	b.watchList(0)
	first := items(9, "/a/x")
	first.More = true
	b.respond(0, first)
	b.settle()
	b.respond(1, items(12, "/a/y", "/a/z"))
	b.settle()
	assert.Contains(t, led(t, b, run, "create watch /a/... from 10"), "rev 9: 1 items", "the first page fixes the revision")
}
