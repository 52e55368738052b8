package caches

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/properties/moments"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/testbed"
)

// WatchEnds looks at the watches of raw clients that a cache ends without an error. A
// client has to watch again then, and each such watch costs the cache a look at its
// history. A watch may end when its time is over, when the cache starts over, and when its
// client does not keep up: the dispatcher finds no room for an event in the watcher's
// channel, which holds ten events at least (storage/cacher, suggestedWatchChannelSize).
// What may be there is each event since the cache has listed, also those that the watch
// begins with, and one bookmark at each revision. A watch may also end when the
// history loses what it still has to be sent. A cache with another value of slow-watchers than
// the shipped one may do neither: its watches catch up, or end with a 410 (KEP-6268). Watches that etcd serves are not judged: the
// cache does not decide when they end. It is exercised by each watch that a cache ends
// without an error.
var WatchEnds = testbed.RegisterProperty(&testbed.Property{
	Name: "watch-ends", Kind: testbed.Safety,
	Promise: "A cache ends a watch without an error only if its time is over, if the cache starts over, if its history loses what comes next, " +
		"or if more events wait for its client than a watcher's channel holds; one whose watches catch up gives neither of these two reasons.",
	Violated:  "watch ended without a reason",
	Labels:    map[string]string{"ended": "watch ended without a reason"},
	Past:      func(s *testbed.System) testbed.Past { return watchEndsPast{newWatchEnds(s)} },
	Remembers: true,
	New:       func(s *testbed.System) testbed.Judge { return newWatchEnds(s) },
})

// leastCapacity is how many events a watcher's channel holds at least, if no other
// capacity is set.
const leastCapacity = 10

type watchEnds struct {
	system  *testbed.System
	moments *moments.Recorder
	// judged is the number of the last watch that was judged, of the watchers and behind
	// them the list watchers.
	judged []int
	tally  testbed.Tally
}

func newWatchEnds(s *testbed.System) *watchEnds {
	return &watchEnds{system: s, moments: moments.Of(s), judged: make([]int, len(s.Watchers())+len(s.ListWatchers()))}
}

// watchEndsPast is, for each watch that a cache may still end, what the cache has listed before it was asked
// and whether it has been ready since.
type watchEndsPast struct{ *watchEnds }

// Digest implements testbed.Past.
func (p watchEndsPast) Digest(d sim.Digest) sim.Digest {
	for i := range p.judged {
		all := p.moments.Watches(i)
		if len(all) == 0 || all[len(all)-1].Over || all[len(all)-1].Cache < 0 {
			d = d.Bool(false)
			continue
		}
		at := &all[len(all)-1]
		d = d.Bool(true).Int(at.Asked.Cache.Listed).Bool(p.moments.StayedReady(at))
	}
	return d
}

// Reset implements testbed.Judge.
func (j *watchEnds) Reset() {
	clear(j.judged)
	j.tally = testbed.Tally{}
}

// Follows implements testbed.Follower.
func (*watchEnds) Follows(p testbed.Part) bool {
	return p == testbed.WatcherNode || p == testbed.ListWatcherNode
}

// AfterStep implements testbed.StepObserver.
func (j *watchEnds) AfterStep(w *sim.World, a sim.Action) {
	switch role := j.system.Role(a.Node); role.Part {
	case testbed.WatcherNode:
		c := j.system.Watchers()[role.Place]
		if n := len(c.Streams()); n > 0 && c.Streams()[n-1].HungUp {
			j.ended(w, c.Name(), role.Place, n, j.system.Params().Workload.WatchFor)
		}
	case testbed.ListWatcherNode:
		c := j.system.ListWatchers()[role.Place]
		if n := len(c.Streams()); n > 0 && c.Streams()[n-1].HungUp {
			j.ended(w, c.Name(), len(j.system.Watchers())+role.Place, n, j.system.Params().Workload.ListWatch.For)
		}
	}
}

// ended judges the n-th watch of a client, which may last for a time, 0 for ever.
func (j *watchEnds) ended(w *sim.World, client string, i, n int, lasts sim.Duration) {
	if j.judged[i] == n {
		return
	}
	j.judged[i] = n
	at := &j.moments.Watches(i)[n-1]
	if at.Cache < 0 || at.Server.Cache.Watches.Delegation != dispatch.Delegation(0) {
		return
	}
	c := j.system.Caches()[at.Cache]
	if c.Mirror == nil {
		return
	}
	j.tally.Exercised++
	if !j.moments.StayedReady(at) || lasts > 0 && (w.Mode() == sim.Untimed || w.Now().Sub(at.Asked.Time) >= lasts) {
		return
	}
	e := &endedWatch{client: client, cache: c.Name, listed: at.Asked.Cache.Listed, version: c.Mirror.ResourceVersion(), capacity: leastCapacity}
	if n := at.Server.Cache.WatchCapacity; n != 0 {
		e.capacity = n
	}
	e.events = changesUnder(j.system.Truth().Log(), c.Prefix(), e.listed, e.version)
	e.bookmarks = int(e.version-e.listed) + 1
	e.catchesUp = dispatch.SlowWatchers.Of(at.Server.Cache.Watches.SlowWatchers) != nil
	if e.catchesUp || e.events+e.bookmarks <= e.capacity && e.events <= ring(&at.Server.Cache) {
		j.tally.Violate("ended", e)
	}
}

// Finding implements testbed.Judge.
func (j *watchEnds) Finding(*sim.World) explore.Finding { return j.tally.Finding() }

// endedWatch is a watch that ended without an error.
type endedWatch struct {
	client, cache string
	// listed is the resourceVersion of the list of the cache, version the one at which it is.
	listed, version int64
	// events is how many events there were since the list, bookmarks how many bookmarks at
	// most.
	events, bookmarks, capacity int
	// catchesUp: no number of them is a reason to end it.
	catchesUp bool
}

func (v *endedWatch) String() string {
	if v.catchesUp {
		return fmt.Sprintf("%s ended the watch of %s without an error; it was ready all the time, and a watch that cannot catch up is to end with a 410", v.cache, v.client)
	}
	return fmt.Sprintf("%s ended the watch of %s without an error; it was ready all the time, has taken in %d events since its list at RV %d, "+
		"and had at most %d bookmarks to send; the channel of a watcher holds %d",
		v.cache, v.client, v.events, v.listed, v.bookmarks, v.capacity)
}

// Concerns implements explore.Concerned.
func (v *endedWatch) Concerns() explore.Concern {
	return explore.Concern{Node: v.client, Revision: v.version}
}
