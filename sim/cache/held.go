package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
)

// Held is what a cache has in memory between two steps.
type Held struct {
	// Reads are not answered, Watches have not ended, Comparisons with etcd are under
	// way. A watch that waits for the cache to be fresh is a read, too. Asking are the
	// clients that wait to hear that the cache is ready.
	Reads, Watches, Comparisons, Asking int
	// Queued is what the dispatcher and its watchers still have to pass on.
	Queued dispatch.Queued
	// Pages are the rests of lists that are kept. Snapshots are the past states beyond
	// one for each event that the history has room for and one for the list.
	Pages, Snapshots int
}

// Holds implements Holding.
func (c *Cache) Holds() Held {
	return Held{
		Reads: c.reads.Unanswered(), Watches: c.dispatcher.Held(), Comparisons: c.checks.UnderWay(), Asking: len(c.ready.asking),
		Queued: c.dispatcher.Queued(), Pages: c.reads.KeptPages(), Snapshots: c.store.SnapshotsBeyondHistory(),
	}
}

// Ownerless implements Timed.
func (c *Cache) Ownerless(armed func(sim.Timer) bool) (found []sim.Timer) {
	judge := func(t sim.Timer, owner bool) {
		if !owner && armed(t) {
			found = append(found, t)
		}
	}
	judge(timerRelist, c.reflector.Pauses())
	judge(timerDispatch, c.dispatcher.Queued().Dispatching)
	judge(timerKept, c.reads.KeptPages() > 0)
	for i := range c.reads.Places() {
		judge(readTimer(i), c.reads.Read(i).Waits())
	}
	for i := range c.dispatcher.Places() {
		judge(watchTimer(i), c.dispatcher.Watcher(i).HasDeadline())
	}
	return found
}

// DispatchBudget implements Timed.
func (c *Cache) DispatchBudget() sim.Duration { return c.dispatcher.Budget() }
