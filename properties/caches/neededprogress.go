package caches

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/cache/progress"
	"github.com/watchbed/watchbed/testbed"
)

// NeededProgress holds each progress request of a cache against the reads that wait: upstream's
// ConditionalProgressRequester asks only while there is one, and once a period (KEP-2340, "Progress notifications"). A
// design that asks once for each read asks no more often than reads began to wait, also if they are over by then. It is
// exercised whenever the last waiting read is over: from then on nothing may be asked. It is exercised by each run of a
// design whose reads need not wait, too. A cache that does not say how many reads wait never exercises it.
//
// It has no past: a request is something that a step does, and a search over states takes what it knows of a step from
// one like it, without the coverage points that it counts. How many requests are under way would tell, and not of one
// that takes the place of another.
var NeededProgress = testbed.RegisterProperty(&testbed.Property{
	Name: "needed-progress", Kind: testbed.Safety,
	Promise:  "A cache asks etcd for progress only while a read or a watch waits for the cache to be fresh, and no more often than its design says.",
	Violated: "progress requested without need",
	Labels:   map[string]string{"often": "progress requested too often"},
	New: testbed.AfterStepsBy(func(s *testbed.System) *neededProgress {
		return &neededProgress{system: s, caches: make([]progressSoFar, len(s.Caches()))}
	}, (*neededProgress).step, testbed.CacheNode),
})

// readsWait reports whether each consistent LIST of a cache may wait for progress that it
// requests.
func readsWait(c *testbed.Cache) bool {
	return !testbed.AnyServer([]*testbed.Cache{c}, func(s *testbed.Server) bool {
		o := &s.Cache
		return !NeedsProgress(&o.Reads) || o.ProgressRequests == progress.Notify || o.Guard.VersionCheck != guard.VersionCheckNone || o.Reads.DetectsNotify
	})
}

// progressRequestPeriod is that of k8s.io/apiserver (storage/cacher).
const progressRequestPeriod = 100 * time.Millisecond

type neededProgress struct {
	system *testbed.System
	// requested is how many requests there were after the last step.
	requested uint64
	caches    []progressSoFar
}

// progressSoFar is what one cache has requested.
type progressSoFar struct {
	// server is what the API server was made of: with another one counting begins anew.
	server *testbed.Server
	// waits is how many reads wait, began how often one began to.
	waits, began int
	// requests is how often it asked, last when.
	requests int
	last     sim.Time
}

func (j *neededProgress) Reset() {
	j.requested = 0
	clear(j.caches)
}

func (j *neededProgress) step(w *sim.World, a sim.Action, all *testbed.Tally) {
	requested := w.Count(progress.Requested)
	if role := j.system.Role(a.Node); role.Part == testbed.CacheNode {
		if c := j.system.Caches()[role.Place]; c.Waiting != nil {
			j.look(all, w, c, &j.caches[role.Place], c.Waiting.Waiting(), int(requested-j.requested))
		}
	}
	j.requested = requested
}

// look takes the step of a cache after which so many reads wait, and in which it
// requested progress so many times.
func (j *neededProgress) look(all *testbed.Tally, w *sim.World, of *testbed.Cache, c *progressSoFar, waits, requests int) {
	if now := of.Server(); c.server != now {
		*c = progressSoFar{server: now}
	}
	c.began += max(0, waits-c.waits)
	if waits == 0 && c.waits > 0 {
		all.Exercised++
	}
	if requests > 0 {
		if label, wrong := wrongRequest(w, &of.Server().Cache, c, waits, requests); wrong != "" {
			all.Violatef(label, testbed.Concern{Node: of.Name}, "%s asked etcd for progress in step %d, %s", of.Name, w.Steps(), wrong)
		}
		c.last = w.Now()
	}
	c.requests += requests
	c.waits = waits
}

// wrongRequest says what is wrong with so many requests in a step, nothing if they are
// right.
func wrongRequest(w *sim.World, o *cache.Options, c *progressSoFar, waits, requests int) (label, wrong string) {
	period := cmp.Or(o.ProgressRequestPeriod, progressRequestPeriod)
	switch {
	case o.ProgressRequests == progress.Notify:
		return "often", "and its design is to wait for what etcd sends by itself"
	case o.ProgressRequests == progress.Once:
		if n := c.requests + requests; n > c.began {
			return "often", fmt.Sprintf("its request number %d, and reads and watches began to wait only %s", n, sim.Some(c.began, "time"))
		}
	case waits == 0 && c.waits == 0:
		return "unneeded", "while no read or watch waited"
	case w.Mode() == sim.Timed && c.requests > 0 && w.Now().Sub(c.last) < period:
		return "often", fmt.Sprintf("%v after the request before, and its period is %v", w.Now().Sub(c.last), period)
	}
	return "", ""
}

func (j *neededProgress) Conclude(_ *sim.World, all *testbed.Tally) {
	if !slices.ContainsFunc(j.system.Caches(), readsWait) && !all.Violated() {
		all.Exercised = max(all.Exercised, 1)
	}
}
