package informer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/trace"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/wire"
)

// leads reports whether the last step of the run depends on the last step before
// it whose note begins with text.
func leads(t *testing.T, run *trace.Trace, text string) bool {
	t.Helper()
	last := len(run.Steps) - 1
	led := trace.NewSlicer(run, trace.Focus{}).Before(last)
	for i := last - 1; i >= 0; i-- {
		for _, n := range run.Steps[i].Notes {
			if strings.HasPrefix(n.Text, text) {
				return led[i]
			}
		}
	}
	require.Failf(t, "no such note", "%q", text)
	return false
}

// The request that follows a watch that ended names the last resourceVersion, and
// nothing of the events before it.
func TestARequestDependsOnTheEventThatSetItsResourceVersion(t *testing.T) {
	for name, ends := range map[string]func(*bed, sim.Conn){
		"a WATCH after the stream closed": func(b *bed, conn sim.Conn) { b.act(func(env *sim.Env) { env.Close(conn) }) },
		"a LIST after 410": func(b *bed, conn sim.Conn) {
			b.fail(conn, gone)
			b.do("fire informer backoff")
		},
	} {
		t.Run(name, func(t *testing.T) {
			run := trace.New(nil)
			b := newTracedBed(t, sim.Untimed, listing, run)
			b.list(wire.ListRequest{Limit: 500}, listed(5))
			conn := b.watch(5)
			b.send(conn, added(item("a", 6)))
			b.send(conn, added(item("b", 7)))
			ends(b, conn)
			run.Close(b.w)
			require.True(t, leads(t, run, "takes ADDED RV=7"))
			require.False(t, leads(t, run, "takes ADDED RV=6"))
		})
	}
}

// A list that follows a 410 depends on it, by the timer and, where the 410 gives
// the resourceVersion up, by what the list asks for.
func TestAListDependsOnThe410ThatCausedIt(t *testing.T) {
	for _, newest := range []bool{false, true} {
		run := trace.New(nil)
		b := newTracedBed(t, sim.Untimed, informer.Config{Options: informer.Options{Newest: newest}}, run)
		b.list(wire.ListRequest{Limit: 500}, listed(5))
		b.fail(b.watch(5), gone)
		b.do("fire informer backoff")
		run.Close(b.w)
		require.True(t, leads(t, run, "is refused the watch"), "newest: %v", newest)
	}
}

// A store that was streamed depends on the initial events, not on those of the
// stream before.
func TestAStreamedStoreDependsOnItsInitialEvents(t *testing.T) {
	run := trace.New(nil)
	b := newTracedBed(t, sim.Untimed, checking, run)
	first := b.watchList(wire.Unset)
	b.send(first, added(item("old", 2)))
	b.act(func(env *sim.Env) { env.Close(first) })
	b.send(b.watchList(wire.Unset), added(item("a", 3)), endOfInitialEvents(9))
	b.list(exactly(9), listed(9, item("a", 3)))
	run.Close(b.w)
	led := trace.NewSlicer(run, trace.Focus{}).Before(len(run.Steps) - 1)
	for i := range run.Steps {
		if d := run.Steps[i].Delivered; d >= 0 {
			switch label := run.Messages[d].Label; {
			case strings.HasPrefix(label, "ADDED RV=2"):
				require.False(t, led[i], label)
			case strings.HasPrefix(label, "ADDED RV=3"), strings.HasPrefix(label, "BOOKMARK RV=9"):
				require.True(t, led[i], label)
			}
		}
	}
}
