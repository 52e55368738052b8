package caches

import (
	"cmp"
	"fmt"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/properties/moments"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/reflector"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// TimersOwned looks at the timers of a cache after each of its steps. A timer that is set
// for a read, a watch or an event that is gone goes off when its number belongs to
// another one, and keeps memory until then. How long the dispatcher may wait for watches
// that do not keep up is never less than nothing, and at most 100 ms (storage/cacher,
// timeBudget). The timers that go on as long as the cache does are not judged: those of
// bookmarks, progress, checks and compactions. It is exercised by each step of a cache: the
// wait of the dispatcher is judged after each, and a timer could be set for nothing after
// each. A cache that lets etcd answer all reads may have none in a whole run.
var TimersOwned = testbed.RegisterProperty(&testbed.Property{
	Name: "timers-owned", Kind: testbed.Safety,
	Promise:  "A cache has a timer set only for a read that waits, a watch with a timeout, an event that is being dispatched, a page that is kept and the pause before the next list, and its dispatcher waits for at most 100 ms.",
	Violated: "timer without an owner",
	Labels:   map[string]string{"timer": "timer without an owner", "budget": "wrong time budget"},
	Monitor:  testbed.Monitor{Runs: testbed.EveryRun},
	New:      testbed.EachCache(timersOwned),
})

// maxDispatchBudget is upstream's maxBudget.
const maxDispatchBudget = 100 * time.Millisecond

func timersOwned(_ *testbed.System, w *sim.World, c *testbed.Cache, _ *struct{}, all *testbed.Tally) {
	if c.Timed == nil {
		return
	}
	all.Exercised++
	if found := c.Timed.Ownerless(w.Armed(c.ID)); len(found) > 0 {
		all.Violate("timer", amiss(c.Name, w.Steps(), fmt.Sprintf("the timer %q is set for nothing that is there", c.Node.TimerName(found[0]))))
	}
	if b := c.Timed.DispatchBudget(); b < 0 || b > maxDispatchBudget {
		all.Violate("budget", amiss(c.Name, w.Steps(), fmt.Sprintf("the dispatcher may wait for %v", b)))
	}
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
	New:      testbed.AfterStepsBy(func(s *testbed.System) *pagesInTime { return &pagesInTime{system: s, moments: moments.Of(s)} }, (*pagesInTime).step, testbed.CacheNode),
})

type pagesInTime struct {
	system  *testbed.System
	moments *moments.Recorder
}

func (j *pagesInTime) step(w *sim.World, a sim.Action, all *testbed.Tally) {
	c := j.system.Cache(a.Node)
	if c == nil || w.Mode() != sim.Timed {
		return
	}
	of, ok := c.Node.(cache.Holding)
	if !ok {
		return
	}
	all.Exercised++
	kept := of.Holds().Pages
	if kept == 0 {
		return
	}
	if most := j.most(c); kept > most {
		all.Violate("many", amiss(c.Name, w.Steps(), fmt.Sprintf("%d rests of lists are kept, and %d is the limit", kept, most)))
	}
	long := keptFor(c)
	if cut := j.cutLately(w, c, long); kept > cut {
		all.Violate("old", amiss(c.Name, w.Steps(), fmt.Sprintf("%d rests of lists are kept, and %d lists were answered in part in the last %v", kept, cut, long)))
	}
}

// most is how many rests a cache may keep.
func (j *pagesInTime) most(c *testbed.Cache) int {
	most := 0
	for _, of := range c.Servers() {
		most = max(most, cmp.Or(of.Cache.KeptPages, keptPages))
	}
	return most
}

// keptFor is how long a cache keeps a rest at most.
func keptFor(c *testbed.Cache) time.Duration {
	longest := time.Duration(0)
	for _, of := range c.Servers() {
		longest = max(longest, cmp.Or(of.Cache.KeepPagesFor, keepPagesFor))
	}
	return longest
}

// cutLately counts the lists with a limit that a cache has answered lately, or still may:
// rests are kept before the client has the answer.
func (j *pagesInTime) cutLately(w *sim.World, c *testbed.Cache, lately time.Duration) int {
	n := 0
	for i, client := range j.system.Clients() {
		spans, asked := client.Spans(), j.moments.Operations(i)
		for k := len(asked) - 1; k >= 0; k-- {
			if spans[k].Answered && w.Now().Sub(spans[k].Return) > lately {
				break
			}
			if list, ok := asked[k].Request.(*wire.ListRequest); ok && asked[k].To == c.ID && list.Limit > 0 {
				n++
			}
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
	for _, c := range s.Caches() {
		of, ok := c.Node.(cache.Relisting)
		if !ok {
			continue
		}
		turns := of.Turns()
		shortest, longest := relistPauses(c)
		for i := range turns {
			if !turns[i].Ended {
				continue
			}
			all.Exercised++
			next := w.Now()
			again := i+1 < len(turns)
			if again {
				next = turns[i+1].Began
			}
			switch pause := next.Sub(turns[i].Over); {
			case again && pause < shortest:
				all.Violate("soon", mistimedRelist(c.Name, turns[i], pause, again, shortest))
			case pause > longest:
				all.Violate("late", mistimedRelist(c.Name, turns[i], pause, again, longest))
			}
		}
	}
}

// relistPauses are the shortest and the longest pause of a cache in a run: its API server
// may be replaced by another one.
func relistPauses(c *testbed.Cache) (shortest, longest time.Duration) {
	for i, of := range c.Servers() {
		own := cmp.Or(of.Cache.RelistDelay, relistPause)
		longest = max(longest, own)
		if shortest = min(shortest, own); i == 0 {
			shortest = own
		}
	}
	return shortest, longest
}

// mistimedRelist is a ListAndWatch that began at the wrong time, or has not begun.
func mistimedRelist(cache string, last reflector.Turn, pause time.Duration, again bool, want time.Duration) fmt.Stringer {
	what := "it began the next one %v later"
	if !again {
		what = "it has begun none in the %v since"
	}
	return testbed.Wrong(explore.Concern{Node: cache}, "%s began to list and watch at %v and ended at %v; "+what+", and it pauses for %v",
		cache, last.Began.Sub(0), last.Over.Sub(0), pause, want)
}

// amiss is what is wrong in a cache after a step.
func amiss(cache string, step int, wrong string) fmt.Stringer {
	return testbed.Wrong(explore.Concern{Node: cache}, "after step %d of the run %s: %s", step, cache, wrong)
}
