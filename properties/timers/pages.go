package timers

import (
	"cmp"
	"fmt"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/properties/moments"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

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
	New: func(s *testbed.System) testbed.Judge {
		return &pagesInTime{system: s, moments: moments.Of(s)}
	},
})

// What the draft leaves open as "N seconds", and how many are kept, unless kept-for and
// kept-pages say otherwise.
const (
	keepPagesFor = time.Minute
	keptPages    = 100
)

type pagesInTime struct {
	system  *testbed.System
	moments *moments.Recorder
	tally   testbed.Tally
}

// Reset implements testbed.Judge.
func (j *pagesInTime) Reset() { j.tally = testbed.Tally{} }

// Follows implements testbed.Follower.
func (*pagesInTime) Follows(p testbed.Part) bool { return p == testbed.CacheNode }

// AfterStep implements testbed.StepObserver.
func (j *pagesInTime) AfterStep(w *sim.World, a sim.Action) {
	c := j.system.Cache(a.Node)
	if c == nil || w.Mode() != sim.Timed {
		return
	}
	of, ok := c.Node.(cache.Holding)
	if !ok {
		return
	}
	j.tally.Exercised++
	kept := of.Holds().Pages
	if kept == 0 {
		return
	}
	if most := j.most(c); kept > most {
		j.tally.Violate("many", &amiss{c.Name, w.Steps(), fmt.Sprintf("%d rests of lists are kept, and %d is the limit", kept, most)})
	}
	long := keptFor(c)
	if cut := j.cutLately(w, c, long); kept > cut {
		j.tally.Violate("old", &amiss{c.Name, w.Steps(), fmt.Sprintf("%d rests of lists are kept, and %d lists were answered in part in the last %v", kept, cut, long)})
	}
}

// most is how many rests a cache may keep.
func (j *pagesInTime) most(c *testbed.Cache) int {
	most := 0
	for _, of := range c.Servers() {
		limit := of.Cache.KeptPages
		if limit == 0 {
			limit = keptPages
		}
		most = max(most, limit)
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

// Finding implements testbed.Judge.
func (j *pagesInTime) Finding(*sim.World) explore.Finding { return j.tally.Finding() }
