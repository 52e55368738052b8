package caches

import (
	"cmp"
	"time"

	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/testbed"
)

// BacklogBounded looks at a cache after each of its steps. What it keeps for one watch is a channel of
// events, whose size does not depend on how long the client has not read, and a piece of the
// history, of which upstream copies 100 events at a time (watchCacheInterval). Events are shared,
// so that their number bounds the memory. The history itself has room for ring-max events at most. A pass over watches
// that missed events holds the goroutine that serves all others (KEP-6268, revised): it has an amount of the history to
// read, where to open it costs as much as 64 events, and one of events to give away. It is exercised by each step after
// which a channel is full, a piece of the history waits, a pass has read, or the history has room for as many as it may.
var BacklogBounded = testbed.RegisterProperty(&testbed.Property{
	Name: "backlog-bounded", Kind: testbed.Safety,
	Promise: "However long a client does not read, a cache keeps no more events for its watch than the channel holds, and 100 of its history, which has room for ring-max events. " +
		"A pass over watches that missed events reads catch-up-units of the history and gives them catch-up-pushes events at most, and does not end before while one waits for its turn. If there are too many, it takes those with the most room.",
	Violated: "watch keeps too many events",
	Labels:   map[string]string{"channel": "channel holds more than its size", "history": "too much of the history copied", "room": "history larger than it may be", "pass": "pass over too much", "short": "pass ends too early", "choice": "pass leaves out the wrong watch"},
	Monitor:  testbed.Monitor{Runs: testbed.EveryRun},
	New:      testbed.EachCache(bounded),
})

// pieceOfHistory is how many events of the history a watch has copied at most.
const pieceOfHistory = 100

// opening is what a pass pays for opening the history, in events; units and pushes are its amounts.
const opening, units, pushes = 64, 2000, 2000

// boundedPass judges the present pass of a cache, or the last one.
func boundedPass(c *testbed.Cache, p dispatch.Pass, all *testbed.Tally) {
	if p == (dispatch.Pass{}) {
		return
	}
	all.Exercised++
	read, about := opening*p.Opened+p.Read, testbed.Concern{Node: c.Name}
	leastRead, mostRead := testbed.Extremes([]*testbed.Cache{c}, func(of *testbed.Server) int { return cmp.Or(of.Cache.CatchUpUnits, units) })
	leastGiven, mostGiven := testbed.Extremes([]*testbed.Cache{c}, func(of *testbed.Server) int { return cmp.Or(of.Cache.CatchUpPushes, pushes) })
	switch {
	case read > mostRead || p.Given > mostGiven:
		all.Violatef("pass", about, "a pass of %s over watches reads %d of its history and gives away %s, and may read %d and give %d",
			c.Name, read, sim.Some(p.Given, "event"), mostRead, mostGiven)
	case p.LeftRoom > p.LeastRoom:
		all.Violatef("choice", about, "a pass of %s over watches serves one with room for %s, and leaves out one with room for %d", c.Name, sim.Some(p.LeastRoom, "event"), p.LeftRoom)
	case p.Unserved > 0 && leastRead-read > opening && p.Given < leastGiven:
		all.Violatef("short", about, "a pass of %s over watches ends while %d wait for their turn: it has read %d of its history of the %d that it may, and given away %s of %d",
			c.Name, p.Unserved, read, leastRead, sim.Some(p.Given, "event"), leastGiven)
	}
}

func bounded(_ *testbed.System, _ *sim.World, c *testbed.Cache, _ *struct{}, all *testbed.Tally) {
	of, ok := c.Node.(cache.Backlogged)
	if !ok {
		return
	}
	about, b := testbed.Concern{Node: c.Name}, of.Backlog()
	boundedPass(c, b.Pass, all)
	if b.Capacity > 0 && b.Queued >= b.Capacity || b.Copied > 0 {
		all.Exercised++
	}
	if h, ok := c.Node.(interface{ HistoryRoom() (now, most int) }); ok {
		now, most := h.HistoryRoom()
		if now >= most {
			all.Exercised++
		}
		if now > most {
			all.Violatef("room", about, "the history of %s has room for %d events, and may have it for %d", c.Name, now, most)
		}
	}
	switch {
	case b.Queued > b.Capacity:
		all.Violatef("channel", about, "%s keeps too much for one watch: %d events wait in a channel for %d", c.Name, b.Queued, b.Capacity)
	case b.Copied > pieceOfHistory:
		all.Violatef("history", about, "%s keeps too much for one watch: %d events of the history are copied", c.Name, b.Copied)
	}
}

// DeliveredUndelayed looks at the watches of clients that take each event as it comes: how long after the cache has an
// event is it there? A message to the client takes at most the declared time, and so do the turns of the dispatcher and
// of the watcher's goroutine, also for the few events before it. If the dispatcher waits for another watch, that is
// added. It is exercised by each event that such a client is sent of what came while it watched, unless many came at
// once, and never without a clock. Nor is it by a cache that does not say what its channels hold: where nothing bounds
// what is under way to a watch, no watch delays another.
var DeliveredUndelayed = testbed.RegisterProperty(&testbed.Property{
	Name: "delivered-undelayed", Kind: testbed.Liveness,
	Promise:  "A client that reads at once is sent each event as soon as messages and turns of loops allow, whatever other clients do.",
	Violated: "delivered late",
	Labels:   map[string]string{"late": "delivered late"},
	New:      testbed.AfterStepsBy(newDeliveredUndelayed, (*deliveredUndelayed).step, testbed.CacheNode, testbed.WatcherNode),
})

// turnsOfLoops is how many turns an event waits for at most, with those of events before it.
const turnsOfLoops = 20

// atOnce is how many events may come to a cache in the time of settling before one that has to be in time. When etcd
// has held events back and sends them together, those before an event take more turns than that, and may fill the
// channel of a client that reads at once, whatever other clients do.
const atOnce = 5

// settling is within how many times the bound such a burst is over.
const settling = 10

var deliveryTime = metric.New(`watch_delivery_seconds{reader="fast"}`, metric.Nanoseconds,
	"from when a cache has an event to its arrival at a client that reads at once")

var queuedEvents = metric.New("watch_channels_events", metric.Counted, "events in the channels to all watchers of a cache, at the end of a run")

type deliveredUndelayed struct {
	system *testbed.System
	within time.Duration
	// had is when each cache came to a resourceVersion, by its place; the entry of index i is
	// that of first+i.
	had []arrivals
	// seen is how far each watcher is.
	seen []seen
}

// arrivals are the times at which a cache came to resourceVersions, from one on.
type arrivals struct {
	first int64
	times []sim.Time
}

// seen is how many events of which watch of a client were looked at, and since when it watches.
type seen struct {
	streams, events int
	began           sim.Time
}

func newDeliveredUndelayed(s *testbed.System) *deliveredUndelayed {
	c := s.Params().Clock
	return &deliveredUndelayed{
		system: s, within: c.Network + turnsOfLoops*c.Scheduling,
		had: make([]arrivals, len(s.Caches())), seen: make([]seen, len(s.Watchers())),
	}
}

func (j *deliveredUndelayed) Reset() {
	for i := range j.had {
		j.had[i] = arrivals{times: j.had[i].times[:0]}
	}
	clear(j.seen)
}

func (j *deliveredUndelayed) step(w *sim.World, a sim.Action, all *testbed.Tally) {
	switch role := j.system.Role(a.Node); role.Part {
	case testbed.CacheNode:
		if m := j.system.Caches()[role.Place].Mirror; m != nil {
			j.had[role.Place].reach(m.ResourceVersion(), w.Now())
		}
	case testbed.WatcherNode:
		j.look(all, w, role.Place)
	}
}

// reach: the cache is at a resourceVersion now.
func (a *arrivals) reach(version int64, now sim.Time) {
	if version == 0 {
		return
	}
	if len(a.times) == 0 {
		a.first = version
	}
	for a.first+int64(len(a.times)) <= version {
		a.times = append(a.times, now)
	}
}

// inBurst reports whether more than a few versions came in this time before the one at an index.
func (a *arrivals) inBurst(at int, within time.Duration) bool {
	return at >= atOnce && a.times[at].Sub(a.times[at-atOnce]) < within
}

func (j *deliveredUndelayed) look(all *testbed.Tally, w *sim.World, place int) {
	c, s := j.system.Watchers()[place], &j.seen[place]
	n := len(c.Streams())
	if w.Mode() != sim.Timed || n == 0 || !c.ReadsAtOnce() {
		return
	}
	if s.streams != n {
		*s = seen{streams: n, began: w.Now()}
	}
	st := &c.Streams()[n-1]
	for ; s.events < len(st.Events); s.events++ {
		e := st.Events[s.events]
		had := &j.had[j.system.Role(c.To()).Place]
		at := int(e.ResourceVersion - had.first)
		if e.Item == nil || len(had.times) == 0 || at < 0 || at >= len(had.times) || had.times[at] < s.began {
			continue
		}
		took := w.Now().Sub(had.times[at])
		w.Record(deliveryTime, int64(took))
		if had.inBurst(at, settling*j.within) {
			continue
		}
		if _, bounded := j.system.Cache(c.To()).Node.(cache.Backlogged); bounded {
			all.Exercised++
		}
		if took > j.within {
			all.Violatef("late", testbed.Concern{Node: c.Name(), Revision: e.ResourceVersion},
				"%s takes each event as it comes, and was sent that of revision %d %v after the cache had it; a message and %d turns of loops take at most %v",
				c.Name(), e.ResourceVersion, took, turnsOfLoops, j.within)
		}
	}
}

func (j *deliveredUndelayed) Conclude(w *sim.World, all *testbed.Tally) {
	for _, of := range testbed.Capable[cache.Backlogged](j.system) {
		w.Record(queuedEvents, int64(of.Backlog().All))
	}
}
