package caches

import (
	"cmp"
	"time"

	"github.com/watchbed/watchbed/properties/evidence"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// TimersOwned looks at the timers of a cache after each of its steps. A timer that is set for a read, a watch or an
// event that is gone goes off when its number belongs to another one, and keeps memory until then. How long the
// dispatcher may wait for watches that do not keep up is kept account of: see dispatchBudget. The timers that go on
// as long as the cache does are not judged: those of bookmarks, progress, checks and compactions. It is exercised by
// each step of a cache: the waits of the dispatcher are judged after each, and a timer could be set for nothing after
// each. A cache that lets etcd answer all reads may have none in a whole run.
var TimersOwned = testbed.RegisterProperty(&testbed.Property{
	Name: "timers-owned", Kind: testbed.Safety,
	Promise: "A cache has a timer set only for a read that waits, a watch with a timeout, an event that is being dispatched, a page that is kept and the pause before the next list. " +
		"Its dispatcher waits for slow watches for as long as it has earned, 50 ms a second and 100 ms at most, gets back what it does not use, ends none sooner, and waits for none that has room.",
	Violated: "timer without an owner",
	Labels:   map[string]string{"timer": "timer without an owner", "budget": "wrong time budget"},
	Monitor:  testbed.Monitor{Runs: testbed.EveryRun},
	New:      testbed.EachCache(timersOwned),
})

// dispatchBudget is the account of what a dispatcher may wait for watches (storage/cacher, timeBudget): it earns
// 50 ms a second from when the cache begins, and has 100 ms at most. A wait may take all that there is, whichever
// watches it is for, and what it does not need is there for the next one.
type dispatchBudget struct {
	// cache is when the cache began, waits how many of its waits are over.
	cache sim.Time
	waits int
	// left is what was not used, and earnedSince when the last wait began.
	left        time.Duration
	earnedSince sim.Time
}

const (
	budgetPerSecond   = 50 * time.Millisecond
	maxDispatchBudget = 100 * time.Millisecond
)

// Digest is what is left of the budget.
func (b *dispatchBudget) Digest(_ *testbed.System, _ int, d sim.Digest) sim.Digest {
	return d.Int(int64(b.left)).Int(int64(b.earnedSince))
}

// judge looks at the waits that began or ended in a step.
func (b *dispatchBudget) judge(w *sim.World, c *testbed.Cache, all *testbed.Tally) {
	began, waits := c.Timed.DispatchWaits()
	if began != b.cache || len(waits) < b.waits {
		*b = dispatchBudget{cache: began, earnedSince: began}
	}
	for _, v := range waits[b.waits:] {
		earned := v.Began.Sub(b.earnedSince) * budgetPerSecond / time.Second
		budget, took := min(b.left+earned, maxDispatchBudget), v.Took
		if !v.Over {
			took = w.Now().Sub(v.Began)
		}
		switch {
		case v.Budget != budget:
			amiss(all, w, c, "budget", "the dispatcher may wait for %v, and has %v", v.Budget, budget)
		case took > budget:
			amiss(all, w, c, "budget", "the dispatcher waits for %v, and may wait for %v", took, budget)
		case v.Needless && budget > 0:
			amiss(all, w, c, "budget", "the dispatcher has waited for %v, all that it may, and each watch had room before that", took)
		case v.Ended && took < budget:
			amiss(all, w, c, "budget", "watches are ended after the dispatcher has waited for %v, and it may wait for %v", took, budget)
		}
		if !v.Over {
			return
		}
		b.waits++
		b.left, b.earnedSince = budget-took, v.Began
	}
}

func timersOwned(_ *testbed.System, w *sim.World, c *testbed.Cache, budget *dispatchBudget, all *testbed.Tally) {
	if c.Timed == nil {
		return
	}
	all.Exercised++
	if found := c.Timed.Ownerless(w.Armed(c.ID)); len(found) > 0 {
		amiss(all, w, c, "timer", "the timer %q is set for nothing that is there", c.Node.TimerName(found[0]))
	}
	budget.judge(w, c, all)
}

// PagesInTime looks at how many rests of lists a cache keeps for clients that may ask for
// the next page, timed. Clients that never do must not cost memory for ever: "GC the
// items from this map after N seconds from insertion", and "Memory would need to be
// somehow bound" (the draft of 2019, "Enable pagination in the watch cache"). A rest that
// is there was cut off from an answer of the last minute, so there cannot be more of them
// than such answers. It is exercised by each step of a cache.
var PagesInTime = testbed.RegisterProperty(&testbed.Property{
	Name: "pages-in-time", Kind: testbed.Safety,
	Promise:  "A cache that keeps the rests of lists keeps each for a minute or its kept-for at most, and no more of them at a time than it may, whether clients ask for them or not.",
	Violated: "rests of lists kept too long",
	Labels:   map[string]string{"old": "rests of lists kept too long", "many": "too many rests of lists"},
	New:      testbed.EachCache(pagesInTime),
})

func pagesInTime(s *testbed.System, w *sim.World, c *testbed.Cache, _ *struct{}, all *testbed.Tally) {
	of, ok := c.Node.(cache.Holding)
	if !ok || w.Mode() != sim.Timed {
		return
	}
	all.Exercised++
	kept, servers := of.Holds().Pages, []*testbed.Cache{c}
	if kept == 0 {
		return
	}
	if _, most := testbed.Extremes(servers, func(of *testbed.Server) int { return cmp.Or(of.Cache.KeptPages, keptPages) }); kept > most {
		amiss(all, w, c, "many", "%d rests of lists are kept, and %d is the limit", kept, most)
	}
	_, long := testbed.Extremes(servers, func(of *testbed.Server) time.Duration { return cmp.Or(of.Cache.KeepPagesFor, keepPagesFor) })
	if cut := cutLately(s, w, c, long); kept > cut {
		amiss(all, w, c, "old", "%d rests of lists are kept, and %d lists were answered in part in the last %v", kept, cut, long)
	}
}

// cutLately counts the lists with a limit that a cache has answered lately, or still may:
// rests are kept before the client has the answer.
func cutLately(s *testbed.System, w *sim.World, c *testbed.Cache, lately time.Duration) int {
	n, asked := 0, evidence.Of(s)
	for o := range s.Operations() {
		if o.Number >= len(asked.Operations(o.Place)) || o.Span.Answered && w.Now().Sub(o.Span.Return) > lately {
			continue
		}
		if list, ok := o.Message.(*wire.ListRequest); ok && asked.Of(o).To == c.ID && list.Limit > 0 {
			n++
		}
	}
	return n
}

// RelistsInTime looks at how long a cache waits before it lists again, timed: the
// goroutine of the cacher sleeps for exactly one second between two ListAndWatch,
// whatever ended the first (NewCacherFromConfig, wait.Until). Without the pause the
// caches of all resources list from an etcd that has just come back, again and again;
// with a longer one the cache is not ready for longer. It is exercised by each
// ListAndWatch that ends.
var RelistsInTime = testbed.RegisterProperty(&testbed.Property{
	Name: "relists-in-time", Kind: testbed.Liveness,
	Promise:  "A cache begins the next ListAndWatch one second after the last one has ended, or after its relist-delay, no sooner and no later.",
	Violated: "relist at the wrong time",
	Labels:   map[string]string{"soon": "relist without the pause", "late": "relist too late"},
	New:      testbed.Recorded(relistsInTime),
})

// relistPause is the period of wait.Until in NewCacherFromConfig, unless relist-delay says
// otherwise.
const relistPause = time.Second

func relistsInTime(s *testbed.System, w *sim.World, all *testbed.Tally) {
	for c, of := range testbed.Capable[cache.Relisting](s) {
		turns := of.Turns()
		shortest, longest := testbed.Extremes([]*testbed.Cache{c}, func(of *testbed.Server) time.Duration { return cmp.Or(of.Cache.RelistDelay, relistPause) })
		for i := range turns {
			if !turns[i].Ended {
				continue
			}
			all.Exercised++
			next, what, again := w.Now(), "it has begun none in the %v since", i+1 < len(turns)
			if again {
				next, what = turns[i+1].Began, "it began the next one %v later"
			}
			pause := next.Sub(turns[i].Over)
			mistimed := func(label string, want time.Duration) {
				all.Violatef(label, testbed.Concern{Node: c.Name}, "%s began to list and watch at %v and ended at %v; "+what+", and it pauses for %v",
					c.Name, turns[i].Began.Sub(0), turns[i].Over.Sub(0), pause, want)
			}
			switch {
			case again && pause < shortest:
				mistimed("soon", shortest)
			case pause > longest:
				mistimed("late", longest)
			}
		}
	}
}

// amiss notes what is wrong in a cache after a step.
func amiss(all *testbed.Tally, w *sim.World, c *testbed.Cache, label, format string, args ...any) {
	all.Violatef(label, testbed.Concern{Node: c.Name}, "after step %d of the run, at %s: "+format, append([]any{w.Steps(), c.Name}, args...)...)
}
