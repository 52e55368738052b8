package cache

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/flowcontrol"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/cache/read"
)

// Held is what a cache has in memory between two steps.
type Held struct {
	// Reads are not answered, Watches have not ended, Comparisons with etcd are under
	// way. A watch that waits for the cache to be fresh is a read, too. Asking are the
	// clients that wait to hear that the cache is ready.
	Reads, Watches, Comparisons, Asking int
	// Writes are the unanswered writes.
	Writes int
	// First is the first of the reads.
	First read.Left
	// Requests are the LISTs and GETs among the reads, Initializing the watches that have
	// yet to send initial events.
	Requests, Initializing int
	// Queued is what the dispatcher and its watchers still have to pass on.
	Queued dispatch.Queued
	// Pages are the rests of lists that are kept. Snapshots are the past states beyond
	// one for each event that the history has room for and one for the list.
	Pages, Snapshots int
}

func (c *Cache) Holds() Held {
	return Held{
		Requests: c.reads.Requests(), Initializing: c.dispatcher.Initializing(),
		Reads: c.reads.Unanswered(), First: c.reads.FirstLeft(), Watches: c.dispatcher.Held(), Comparisons: c.checks.UnderWay(), Asking: c.ready.Asking(),
		Writes: c.writes.Unanswered(),
		Queued: c.dispatcher.Queued(), Pages: c.reads.KeptPages(), Snapshots: c.store.SnapshotsBeyondHistory(),
	}
}

func (c *Cache) Watches(visit func(client, upstream sim.Conn)) { c.dispatcher.Watches(visit) }

// Writes visits its writes, see write.Delegator.Asking.
func (c *Cache) Writes(visit func(asked, conflicts int)) { c.writes.Asking(visit) }

// VersionPauses are those of its version check.
func (c *Cache) VersionPauses() []guard.Pause { return c.guard.Pauses() }

// HistoryRoom is for how many events its history has room, and how many it has room for at most.
func (c *Cache) HistoryRoom() (now, most int) {
	return c.store.HistoryRoom(), max(c.cfg.RingCapacity, c.cfg.RingCapacityMax)
}

func (c *Cache) Backlog() dispatch.Backlog { return c.dispatcher.Backlog() }

func (c *Cache) Ownerless(armed sim.Armed) (found []sim.Timer) {
	if armed.Has(timerRelist) && !c.reflector.Pauses() {
		found = append(found, timerRelist)
	}
	if armed.Has(timerDispatch) && !c.dispatcher.Dispatching() && !c.dispatcher.CatchesUpWatchers() {
		found = append(found, timerDispatch)
	}
	if armed.Has(timerKept) && c.reads.KeptPages() == 0 {
		found = append(found, timerKept)
	}
	if waits := false; armed.Has(timerSeats) {
		c.flow.Waiting(func(*flowcontrol.Request) { waits = true })
		sends := func(r flowcontrol.Request) bool { return r.Sending > 0 }
		if !waits && !slices.ContainsFunc(c.flow.Executing(), sends) {
			found = append(found, timerSeats)
		}
	}
	for i := range c.reads.Places() {
		if t := readTimer(i); armed.Has(t) && !c.reads.Read(i).Waits() {
			found = append(found, t)
		}
	}
	for i := range c.dispatcher.Places() {
		if t := watchTimer(i); armed.Has(t) && !c.dispatcher.Watcher(i).HasDeadline() {
			found = append(found, t)
		}
	}
	return found
}

func (c *Cache) DispatchWaits() (began sim.Time, all []dispatch.Wait) { return c.dispatcher.Waits() }
