package caches

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// StaysUp judges what KEP-3157 and KEP-4988 begin with: an API server that sends more
// than it has memory for is killed, its clients ask the next one, and that one may be
// killed in turn. It is exercised by each list and stream of everything that an API
// server with a memory-limit has sent to an informer, and by each that is killed. No
// answer is wrong, and the server is not there for a while, so it counts as liveness.
var StaysUp = testbed.RegisterProperty(&testbed.Property{
	Name: "stays-up", Kind: testbed.Liveness,
	Promise:  "No API server is killed because it is out of memory.",
	Violated: "API server out of memory",
	Labels: map[string]string{
		"alone":   "API server out of memory",
		"in turn": "out of memory after another one",
	},
	Weight:  10,
	Monitor: testbed.Monitor{Runs: testbed.Timed},
	New: testbed.RecordedBy(func(s *testbed.System) *testbed.System {
		testbed.Shared(s, newOOMWarnings)
		return s
	}, staysUp),
})

// staysUp reports a process that is killed in turn, if there is any: the first kill is
// part of its story.
func staysUp(s *testbed.System, _ *sim.World, all *testbed.Tally) {
	all.Exercised = listsSent(s)
	var alone *outOfMemory
	for _, c := range s.Caches() {
		for i := range kills(c) {
			all.Exercised++
			k := &outOfMemory{cache: c, kill: &kills(c)[i]}
			for _, share := range k.kill.For {
				if cameFromKilled(s, share.Client, c, k.kill.At) {
					k.others += share.Taken
				}
			}
			switch {
			case k.kill.Taken-k.others <= k.limit():
				all.Violate("in turn", k)
			case alone == nil || k.kill.At < alone.kill.At:
				alone = k
			}
		}
	}
	if alone != nil {
		all.Violate("alone", alone)
	}
}

// listsSent is how many lists and streams of everything came from servers with a limit.
func listsSent(s *testbed.System) int {
	n := 0
	for _, i := range s.Informers() {
		for k := range i.Exchanges() {
			x := &i.Exchanges()[k]
			if x.Complete && s.Cache(x.To).Server().Cache.MemoryLimit > 0 {
				n++
			}
		}
	}
	return n
}

// cameFromKilled reports whether a client is at an API server because another one was
// killed while it was connected to it, by the last of its connections that broke.
func cameFromKilled(s *testbed.System, client sim.NodeID, at *testbed.Cache, now sim.Time) bool {
	role := s.Role(client)
	if role.Part != testbed.InformerNode {
		return false
	}
	var from *informer.Exchange
	exchanges := s.Informers()[role.Place].Exchanges()
	for k := range exchanges {
		if x := &exchanges[k]; x.End == informer.Broken && x.Over <= now {
			from = x
		}
	}
	if from == nil || from.To == at.ID {
		return false
	}
	return slices.ContainsFunc(kills(s.Cache(from.To)), func(k kill) bool { return from.Sent <= k.At && k.At <= from.Over })
}

type kill = cache.Kill

func kills(c *testbed.Cache) []kill {
	if killed, ok := c.Node.(cache.Killable); ok {
		return killed.Kills()
	}
	return nil
}

// outOfMemory is an API server that was killed.
type outOfMemory struct {
	cache *testbed.Cache
	kill  *kill
	// others is what it took for clients of servers that had been killed before.
	others int
}

func (k *outOfMemory) limit() int { return k.cache.Server().Cache.MemoryLimit }

func (k *outOfMemory) String() string {
	text := fmt.Sprintf("%s takes memory for %d objects for %d clients, and has it for %d", k.cache.Name, k.kill.Taken, len(k.kill.For), k.limit())
	if k.others > 0 {
		text += fmt.Sprintf("; %d of them are for clients of an API server that was killed before", k.others)
	}
	return text
}

func (k *outOfMemory) Concern() testbed.Concern { return testbed.Concern{Node: k.cache.Name} }

// The warnings that an operator could have before an API server is out of memory. Both
// multiply LISTs by the objects that there are (apiserver_storage_objects), and by what
// these take if etcd answers, since it is not known before who will. Both are given when
// that was too much for a second. The first one counts all LISTs in flight
// (apiserver_current_inflight_requests), the second those of them that have no answer
// yet, because they wait for the cache or for etcd. No release has a gauge of these: the
// histogram apiserver_watch_cache_read_wait_seconds has them when they are over.
var (
	warnedInFlight   = newWarning("inflight", "LISTs in flight were")
	warnedUnanswered = newWarning("unanswered", "LISTs without an answer were")
)

// takenFromEtcd is what an object takes in a LIST that etcd answers: KEP-3157's factor,
// written down here as a figure of an operator's alert.
const takenFromEtcd = 5

// warnedAfter is for how long something has to be too much: an alert's "for".
const warnedAfter = time.Second

// warning is what is measured of one of them.
type warning struct{ lead, unfounded metric.Metric }

func newWarning(by, which string) warning {
	tooMany := which + " too many for the memory of an API server, if etcd answered all of them"
	return warning{
		metric.New(`oom_warning_seconds{by="`+by+`"}`, metric.Nanoseconds, "for how much longer than a second "+tooMany+", when it was killed"),
		metric.NewCounter(`oom_unfounded_warnings_total{by="`+by+`"}`, metric.Counted, "times that "+tooMany+" for longer than a second, and it was not killed"),
	}
}

// alarm is a warning about one API server in one run.
type alarm struct {
	on    bool
	began sim.Time
	given []given
}

// given is when a warning was given, and until when it was.
type given struct{ from, until sim.Time }

// set says whether it is too much now.
func (a *alarm) set(on bool, now sim.Time) {
	switch {
	case on && !a.on:
		a.began = now
	case a.on && !on && now.Sub(a.began) > warnedAfter:
		a.given = append(a.given, given{a.began + sim.Time(warnedAfter), now})
	}
	a.on = on
}

// record compares what was given with the times that the server was killed: while a
// warning was given, or within a second of its end, when what was asked for is sent.
func (a *alarm) record(w *sim.World, as *warning, killed []kill) {
	for _, g := range a.given {
		i := slices.IndexFunc(killed, func(k kill) bool { return g.from <= k.At && k.At <= g.until+sim.Time(warnedAfter) })
		if i < 0 {
			w.Record(as.unfounded, 1)
			continue
		}
		w.Record(as.lead, int64(killed[i].At.Sub(g.from)))
	}
}

// oomWarnings are those about the API servers of a system that have a limit.
type oomWarnings struct {
	system     *testbed.System
	unanswered []alarm
}

func newOOMWarnings(s *testbed.System) *oomWarnings {
	return &oomWarnings{system: s, unanswered: make([]alarm, len(s.Caches()))}
}

func (o *oomWarnings) Reset() {
	for i := range o.unanswered {
		o.unanswered[i] = alarm{given: o.unanswered[i].given[:0]}
	}
}

// Follows implements testbed.Follower: a fault may end what waits.
func (*oomWarnings) Follows(p testbed.Part) bool {
	return p == testbed.CacheNode || p == testbed.TheWorld
}

func (o *oomWarnings) AfterStep(w *sim.World, a sim.Action) {
	for i, c := range o.system.Caches() {
		if acted := a.Node == c.ID || a.Node == 0; !acted || !limited(c) {
			continue
		}
		if holds, ok := c.Node.(cache.Holding); ok {
			o.unanswered[i].set(holds.Holds().Reads > o.bearable(c), w.Now())
		}
	}
}

func (o *oomWarnings) BeginJudging(w *sim.World) {
	for i, c := range o.system.Caches() {
		if !limited(c) {
			continue
		}
		inFlight, lists := alarm{}, 0
		for _, x := range o.changes(w, c) {
			lists += x.list
			inFlight.set(lists > o.bearable(c), x.at)
		}
		inFlight.record(w, &warnedInFlight, kills(c))
		o.unanswered[i].record(w, &warnedUnanswered, kills(c))
	}
}

func limited(c *testbed.Cache) bool { return c.Server().Cache.MemoryLimit > 0 }

// bearable is how many LISTs there is memory for if etcd answers all of them.
func (o *oomWarnings) bearable(c *testbed.Cache) int {
	return c.Server().Cache.MemoryLimit / (takenFromEtcd * max(1, o.system.Params().Workload.Items))
}

// change is a LIST that comes to an API server, or is over.
type change struct {
	at   sim.Time
	list int
}

// changes are in the order of time. A LIST is over before another one comes at the same
// time.
func (o *oomWarnings) changes(w *sim.World, c *testbed.Cache) []change {
	var all []change
	for _, n := range o.system.Informers() {
		for i := range n.Exchanges() {
			x := &n.Exchanges()[i]
			if _, list := x.Request.(*wire.ListRequest); !list || x.To != c.ID {
				continue
			}
			over := x.Over
			if x.End == informer.Open {
				over = w.Now()
			}
			all = append(all, change{x.Sent, 1}, change{over, -1})
		}
	}
	slices.SortStableFunc(all, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.list, b.list)) })
	return all
}
