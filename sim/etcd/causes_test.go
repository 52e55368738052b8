package etcd_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
)

// tracedSteps are the steps of a bench with the cells that they touch and what
// nodes say in them.
type tracedSteps struct {
	steps []tracedStep
}

type tracedStep struct {
	name  string
	notes []string
	cells sim.Footprint
}

// trace takes down all steps from here on.
func (b *bench) trace() *bench {
	b.traced = &tracedSteps{}
	b.w.SetObserver(b.traced)
	return b
}

func (t *tracedSteps) begin(w *sim.World, a sim.Action) {
	t.steps = append(t.steps, tracedStep{name: w.Name(a)})
	w.RecordCells(&t.steps[len(t.steps)-1].cells)
}

// Observe implements sim.Observer.
func (t *tracedSteps) Observe(w *sim.World, e *sim.Event) {
	if e.Kind == sim.Noted {
		last := &t.steps[len(t.steps)-1]
		last.notes = append(last.notes, e.Note.Text(w))
	}
}

// causes follows the reads of the last step that says or is named the given text,
// back to the steps that wrote what was read, and so on. It returns what those steps
// are named and say.
func (b *bench) causes(text string) []string {
	b.t.Helper()
	t := b.traced
	led := make([]bool, len(t.steps))
	for i := range t.steps {
		if t.steps[i].mentions(text) {
			clear(led)
			led[i] = true
		}
	}
	require.Contains(b.t, led, true, "no step mentions %q", text)
	var said []string
	for i := len(t.steps) - 1; i >= 0; i-- {
		if !led[i] {
			continue
		}
		said = append(append(said, t.steps[i].name), t.steps[i].notes...)
		for _, a := range t.steps[i].cells.Accesses {
			if j := t.lastWrite(i, a); !a.Write && a.Cell.Node != 0 && j >= 0 {
				led[j] = true
			}
		}
	}
	return said
}

func (t *tracedSteps) lastWrite(before int, read sim.Access) int {
	for i := before - 1; i >= 0; i-- {
		for _, a := range t.steps[i].cells.Accesses {
			if a.Write && a.Cell.Covers(read.Cell) {
				return i
			}
		}
	}
	return -1
}

func (s *tracedStep) mentions(text string) bool {
	for _, said := range append([]string{s.name}, s.notes...) {
		if strings.Contains(said, text) {
			return true
		}
	}
	return false
}

// rests holds that all the texts, and none of others, are among the causes of a
// step.
func (b *bench) rests(step string, on []string, notOn ...string) {
	b.t.Helper()
	all := strings.Join(b.causes(step), "\n")
	for _, text := range on {
		assert.Contains(b.t, all, text, "the causes of %q", step)
	}
	for _, text := range notOn {
		assert.NotContains(b.t, all, text, "the causes of %q", step)
	}
}

func TestProgressRestsOnTheRevisionThatItNames(t *testing.T) {
	b := newBench(t, "3.5.7").trace()
	b.request("other", create("/c", 0)).request("w", create("/a", 0)).settle()
	b.put("/a", "1").put("/a", "2").request("w", &wire.WatchProgressRequest{}).step("deliver user>etcd", "takes ctrlStream")
	b.rests("sendLoop takes from ctrlStream", []string{"progress 3 goes into ctrlStream", "applies Put /a=2: revision 3"},
		"applies Put /a=1", "registers a watch of user from")
}

func TestProgressRestsOnTheWatchersBeingSynced(t *testing.T) {
	b := newBench(t, "3.6.16").put("/a", "1").trace()
	b.request("w", create("/a", 2)).settle("takes").step("fire etcd syncWatchersLoop")
	b.request("w", &wire.WatchProgressRequest{}).settle()
	b.rests("progress 2 goes into the watch channel", []string{"the watcher of user is synced now", "registers a watch of user from revision 2"})
}

func TestAnIgnoredRequestRestsOnTheDeferredOne(t *testing.T) {
	b := newBench(t, "3.5.12").put("/a", "1").put("/b", "1").trace()
	b.request("w", create("/a", 3)).settle()
	b.request("w", &wire.WatchProgressRequest{}).settle().step("fire etcd syncWatchersLoop").settle()
	b.request("w", &wire.WatchProgressRequest{}).settle()
	b.rests("an earlier one is still deferred", []string{"and is deferred until", "registers a watch of user from revision 3: unsynced"})
}

func TestASilentSyncRestsOnTheCompaction(t *testing.T) {
	b := newBench(t, "3.5.12", func(c *etcd.Config) { c.Store.ChanBufLen = 1 }).trace()
	b.request("w", create("/b", 0)).settle().take()
	b.put("/a", "1").put("/a", "2").compact(3).settle()
	b.put("/b", "1")
	b.request("w", create("/a", 2)).settle("takes watchStream", "syncVictims", "user/compact")
	b.step("fire etcd syncWatchersLoop")
	b.rests("syncWatchers cannot cancel", []string{"applies Compact 3", "registers a watch of user from revision 2", "the event of revision 4 goes into the watch channel"})
}

func TestWhatAWatchMissesRestsOnTheBatchThatRemovedIt(t *testing.T) {
	b := newBench(t, "3.5.15").put("/a", "1").trace()
	b.remove("/a").compact(3).settle()
	b.request("w", create("/a", 3)).settle().step("fire etcd syncWatchersLoop").settle()
	b.rests("syncWatchers finds no event", []string{"removes the deletion of /a that is revision 3", "applies Compact 3"})
}

func TestOldEventsRestOnTheRestore(t *testing.T) {
	b := newBench(t, "3.5.7").trace()
	b.request("w", create("/a", 0)).settle().put("/a", "1").settle()
	b.step("inject snapshot etcd").settle().step("fire etcd syncWatchersLoop").settle()
	b.rests("sendLoop sends event /a=1@2", []string{"restores its store", "the event of revision 2 goes into the watch channel", "applies Put /a=1"})
}

func TestProgressBelowStartRestsOnTheRegistration(t *testing.T) {
	b := newBench(t, "3.6.1").trace()
	b.request("w", create("/a", 9)).settle().request("w", &wire.WatchProgressRequest{}).settle()
	b.rests("sendLoop sends progress 1", []string{"registers a watch of user from revision 9"})
}

func TestAnAnswerRestsOnTheWritesThatItShows(t *testing.T) {
	b := newBench(t, "3.6.16").trace()
	b.put("/a", "1").put("/b", "1").put("/b", "2")
	b.call(&wire.RangeRequest{Key: "/a", Serializable: true}).settle()
	b.rests("run etcd Range", []string{"applies Put /a=1", "applies Put /b=2"}, "applies Put /b=1")
}
