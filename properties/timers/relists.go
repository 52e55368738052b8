package timers

import (
	"cmp"
	"fmt"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/reflector"
	"github.com/watchbed/watchbed/testbed"
)

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
	New:      func(s *testbed.System) testbed.Judge { return &relistsInTime{s} },
})

// relistPause is the period of wait.Until in NewCacherFromConfig, unless relist-delay says
// otherwise.
const relistPause = time.Second

type relistsInTime struct{ system *testbed.System }

// Reset implements testbed.Judge.
func (*relistsInTime) Reset() {}

// Finding implements testbed.Judge.
func (j *relistsInTime) Finding(w *sim.World) explore.Finding {
	var all testbed.Tally
	for _, c := range j.system.Caches() {
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
				all.Violate("soon", &mistimedRelist{c.Name, turns[i], pause, again, shortest})
			case pause > longest:
				all.Violate("late", &mistimedRelist{c.Name, turns[i], pause, again, longest})
			}
		}
	}
	return all.Finding()
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
type mistimedRelist struct {
	cache string
	last  reflector.Turn
	pause time.Duration
	again bool
	// want is how long it should have been.
	want time.Duration
}

func (m *mistimedRelist) String() string {
	what := "it began the next one %v later"
	if !m.again {
		what = "it has begun none in the %v since"
	}
	return fmt.Sprintf("%s began to list and watch at %v and ended at %v; "+what+", and it pauses for %v",
		m.cache, m.last.Began.Sub(0), m.last.Over.Sub(0), m.pause, m.want)
}

// Concerns implements explore.Concerned.
func (m *mistimedRelist) Concerns() explore.Concern { return explore.Concern{Node: m.cache} }
