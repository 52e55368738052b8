package caches

import (
	"cmp"

	"github.com/watchbed/watchbed/properties/evidence"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/testbed"
)

// WatchEnds looks at the watches of raw clients that a cache ends without an error. A client has to watch again then,
// and each such watch costs the cache a look at its history. A watch may end when its time is over, when the cache
// starts over, and when its client does not keep up: the dispatcher finds no room for an event in the watcher's
// channel, which holds ten events at least (storage/cacher, suggestedWatchChannelSize). What may be there is each
// event since the cache has listed, also those that the watch begins with, and one bookmark at each revision. A watch
// may also end when the history loses what it still has to be sent. A cache with another value of slow-watchers than
// the shipped one may do neither: its watches catch up, or end with a 410 (KEP-6268). Of watches that etcd serves it
// is judged that the client is told the error with which one ends: etcd and the client library end none without one. It
// is exercised by each watch that a cache ends without an error.
var WatchEnds = testbed.RegisterProperty(&testbed.Property{
	Name: "watch-ends", Kind: testbed.Safety,
	Promise: "A cache ends a watch without an error only if its time is over, if the cache starts over, if its history loses what comes next, " +
		"or if more events wait for its client than a watcher's channel holds; one whose watches catch up gives neither of these two reasons. " +
		"A client is told the error with which etcd ends a watch that it serves.",
	Violated: "watch ended without a reason",
	Labels:   map[string]string{"ended": "watch ended without a reason", "untold": "error kept from the client"},
	Monitor:  testbed.Monitor{Runs: testbed.Untimed},
	New:      testbed.AfterStepsBy(newWatchEnds, (*watchEnds).step, testbed.WatcherNode, testbed.ListWatcherNode),
})

// leastCapacity is how many events a watcher's channel holds at least, if no other
// capacity is set.
const leastCapacity = 10

type watchEnds struct {
	system   *testbed.System
	evidence *evidence.Recorder
	// judged is the number of the last watch that was judged, of the watchers and behind
	// them the list watchers.
	judged []int
}

func newWatchEnds(s *testbed.System) *watchEnds {
	return &watchEnds{system: s, evidence: evidence.Of(s), judged: make([]int, len(s.Watchers())+len(s.ListWatchers()))}
}

// Digest is, for each watch that a cache may still end, what the cache has listed before it was asked
// and whether it has been ready since.
func (j *watchEnds) Digest(d sim.Digest) sim.Digest {
	for i := range j.judged {
		all := j.evidence.Watches(i)
		if len(all) == 0 || all[len(all)-1].Over || all[len(all)-1].Cache < 0 {
			d = d.Bool(false)
			continue
		}
		at := &all[len(all)-1]
		d = d.Bool(true).Int(at.Asked.Cache.Listed).Bool(j.evidence.StayedReady(at))
	}
	return d
}

func (j *watchEnds) Reset() { clear(j.judged) }

func (j *watchEnds) step(w *sim.World, a sim.Action, all *testbed.Tally) {
	role := j.system.Role(a.Node)
	if last := j.system.LastWatch(role); last != nil && last.HungUp && j.judged[last.Place] <= last.Number {
		j.judged[last.Place] = last.Number + 1
		lasts := j.system.Params().Workload.WatchFor
		if role.Part == testbed.ListWatcherNode {
			lasts = j.system.Params().Workload.ListWatch.For
		}
		j.ended(all, w, last.Client, j.evidence.OfWatch(last), lasts)
	}
}

// ended judges a watch of a client, which may last for a time, 0 for ever.
func (j *watchEnds) ended(all *testbed.Tally, w *sim.World, client string, at *evidence.Call, lasts sim.Duration) {
	if at.Cache < 0 {
		return
	}
	c := j.system.Caches()[at.Cache]
	if c.Mirror == nil {
		return
	}
	all.Exercised++
	if !j.evidence.StayedReady(at) || lasts > 0 && (w.Mode() == sim.Untimed || w.Now().Sub(at.Asked.Time) >= lasts) {
		return
	}
	if at.Server.Cache.Watches.Delegation != dispatch.DelegateNone {
		all.Violatef("untold", testbed.Concern{Node: client}, "%s ended the watch of %s without an error; it was ready all the time, and etcd, which served it, ends none for nothing",
			c.Name, client)
		return
	}
	listed, version, capacity := at.Asked.Cache.Listed, c.Mirror.ResourceVersion(), cmp.Or(at.Server.Cache.WatchCapacity, leastCapacity)
	about := testbed.Concern{Node: client, Revision: version}
	if catchesUp(&at.Server.Cache.Watches) {
		all.Violatef("ended", about, "%s ended the watch of %s without an error; it was ready all the time, "+
			"and a watch that cannot catch up is to end with a 410", c.Name, client)
		return
	}
	// There is a bookmark at each resourceVersion at most.
	events, bookmarks := changesUnder(j.system.Truth().Log(), c.Prefix(), listed, version), int(version-listed)+1
	if events+bookmarks <= capacity && events <= ring(&at.Server.Cache) {
		all.Violatef("ended", about, "%s ended the watch of %s without an error; it was ready all the time, has taken in %d events since its list at RV %d, "+
			"and had at most %d bookmarks to send; the channel of a watcher holds %d", c.Name, client, events, listed, bookmarks, capacity)
	}
}
