package caches

import (
	"fmt"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/reflector"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// Resumes looks at caches whose watch of etcd has ended. A cache that lists again is not
// ready until it has, and costs etcd a list of everything: an election of etcd ended the
// watches of all resources for that (client-go's MaxInternalErrorRetryDuration, which
// the cacher sets to 30 seconds). It is exercised by each watch that ends.
var Resumes = testbed.RegisterProperty(&testbed.Property{
	Name: "cache-resumes", Kind: testbed.Safety,
	Promise:  "A cache whose watch of etcd ends lists again only after a compaction, after half a minute of other errors, or if the watch ended within a second without an event.",
	Violated: "needless relist of a cache",
	Labels:   map[string]string{"relist": "needless relist of a cache"},
	Past:     testbed.NoPast,
	New:      func(s *testbed.System) testbed.Judge { return &resumes{s} },
})

const (
	// maxInternalErrorRetry is how long errors are borne, veryShortWatch what is too short
	// for a watch (VeryShortWatchError).
	maxInternalErrorRetry = 30 * time.Second
	veryShortWatch        = time.Second
)

type resumes struct{ system *testbed.System }

// Reset implements testbed.Judge.
func (*resumes) Reset() {}

// Follows implements testbed.Follower.
func (*resumes) Follows(p testbed.Part) bool { return p == testbed.CacheNode }

// AfterStep implements testbed.StepObserver. A search asks what looks at steps after each of them; caches
// write down how their watches ended.
func (*resumes) AfterStep(*sim.World, sim.Action) {}

// Finding implements testbed.Judge.
func (j *resumes) Finding(w *sim.World) explore.Finding {
	var all testbed.Tally
	for _, c := range j.system.Caches() {
		of, ok := c.Node.(cache.Following)
		if !ok {
			continue
		}
		first := sim.Time(0)
		for i, e := range of.Endings() {
			if e.First {
				first = e.Over
			}
			all.Exercised++
			if e.Relisted && !relists(w, &e, first) {
				all.Violate("relist", &needless{c.Name, of.Endings()[i]})
				return all.Finding()
			}
		}
	}
	return all.Finding()
}

// relists reports whether the end of a watch is a reason to list again; first is when
// the first of the errors since the list came.
func relists(w *sim.World, e *reflector.Ending, first sim.Time) bool {
	timed := w.Mode() == sim.Timed
	switch {
	case e.Err == nil:
		return e.Events == 0 && (!timed || e.Over.Sub(e.Began) < veryShortWatch)
	case e.Err.Code == wire.ErrCompacted:
		return true
	}
	return !e.First && (!timed || e.Over.Sub(first) > maxInternalErrorRetry)
}

// needless is a list that nothing made necessary.
type needless struct {
	cache string
	end   reflector.Ending
}

func (n *needless) String() string {
	how := "closed"
	if n.end.Err != nil {
		how = "ended: " + n.end.Err.Message
	}
	return fmt.Sprintf("the watch of %s %s, after %d events; it lists again instead of watching from there", n.cache, how, n.end.Events)
}

// Concerns implements explore.Concerned.
func (n *needless) Concerns() explore.Concern { return explore.Concern{Node: n.cache} }
