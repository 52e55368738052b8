package caches

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/flowcontrol"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// SeatsKept judges API Priority and Fairness after each step of a cache that has seats.
// It is exercised by each request that comes to such a cache.
var SeatsKept = testbed.RegisterProperty(&testbed.Property{
	Name: "seats-kept", Kind: testbed.Safety,
	Promise: "With API Priority and Fairness no more seats are taken than there are, a request takes as many as its resource has objects for, " +
		"it has them while it is executed and no longer, it is refused with 429 only if its queue is full or its wait too long, and none waits while the seats " +
		"that are free are enough for each that is first in its queue. A client has a hand of queues, and waits in the shortest; while a request waits, no other " +
		"queue is given more seats than its own waits for and a constant, and it has its seats, or is refused, within its wait.",
	Violated: "seats not kept",
	Labels: map[string]string{
		"too many": "more seats taken than there are", "estimate": "wrong number of seats", "without": "request executed without seats",
		"kept": "seats kept after the answer", "refused": "refused although it could wait", "too long": "waits for seats too long",
		"idle": "waits while seats are free", "overtaken": "overtaken in its queue", "left": "left behind in a queue",
		"share": "less than its share of seats", "hand": "not in its shortest queue",
	},
	Monitor: testbed.Monitor{Runs: testbed.EveryRun},
	New:     testbed.EachCache(seatsKept),
})

// seatsSeen is what was seen of a cache after its last step.
type seatsSeen struct {
	// refusals is how many were judged, arrivals how many requests had come.
	refusals, arrivals int
	executing          []flowcontrol.Request
	fairness           fairness
	// killed is how often its process was killed. The step of a kill is not judged: the process's requests are gone.
	killed int
}

// Clone is a copy that shares no memory.
func (seen *seatsSeen) Clone() seatsSeen {
	return seatsSeen{seen.refusals, seen.arrivals, slices.Clone(seen.executing), seen.fairness.clone(), seen.killed}
}

// Digest is what was seen of a cache after its last step, as far as the cache does not have it any more:
// a process that begins anew has another level.
func (seen *seatsSeen) Digest(s *testbed.System, cache int, d sim.Digest) sim.Digest {
	if l := level(s.Caches()[cache]); l != nil {
		d = d.Int(int64(l.Arrivals() - seen.arrivals)).Int(int64(len(l.Refusals()) - seen.refusals))
		for k := range seen.executing {
			d = d.Int(int64(seen.executing[k].Number)).Int(int64(seen.executing[k].Seats))
		}
		d = seen.fairness.digest(l, d)
	}
	return d
}

// level is that of a cache, nil if it has no limit.
func level(c *testbed.Cache) *flowcontrol.Level {
	if of, ok := c.Node.(cache.FlowControlled); ok && of.Flow().Limits() {
		return of.Flow()
	}
	return nil
}

func seatsKept(s *testbed.System, w *sim.World, c *testbed.Cache, seen *seatsSeen, all *testbed.Tally) {
	l := level(c)
	if l == nil || all.Violated() {
		return
	}
	o, now := l.Options(), w.Now()
	wrong := func(label, format string, args ...any) { notKept(all, c, label, format, args...) }
	taken, begun := 0, 0
	var having []string
	if n := len(kills(c)); n > seen.killed {
		*seen = seatsSeen{refusals: len(l.Refusals()), executing: seen.executing[:0], fairness: fairness{grants: len(l.Grants())}, killed: n}
		return
	}
	if l.Arrivals() < seen.arrivals {
		// The process has begun anew.
		*seen = seatsSeen{refusals: seen.refusals, executing: seen.executing[:0], fairness: fairness{grants: seen.fairness.grants}, killed: seen.killed}
	}
	arrived := func(r *flowcontrol.Request) {
		if r.Number < seen.arrivals {
			return
		}
		objects := objectsOf(c)
		if want := seatsOf(o, r, objects); r.AtEtcd == 0 && r.Seats != want {
			wrong("estimate", "%s takes %s, and of %s it has to take %d", r.Message.Payload.Label(), sim.Some(int(r.Seats), "seat"), sim.Some(objects, "object"), want)
		}
	}
	all.Exercised += l.Arrivals() - seen.arrivals
	for _, g := range l.Grants()[seen.fairness.grants:] {
		arrived(&g.Request)
	}
	for k := range l.Executing() {
		r := &l.Executing()[k]
		taken += r.Seats
		if r.Begun() {
			begun++
			having = append(having, w.NodeName(r.Message.From)+"'s "+r.Message.Payload.Label())
		}
	}
	if taken > o.Seats {
		wrong("too many", "%d seats are taken of %d", taken, o.Seats)
	}
	waiting, widest := map[int]int{}, 0
	l.Waiting(func(r *flowcontrol.Request) {
		arrived(r)
		if waiting[r.Queue]++; waiting[r.Queue] == 1 {
			widest = max(widest, r.Seats)
		}
		if waited := now.Sub(r.Arrived); waited > o.QueueWait {
			wrong("too long", "%s has waited for %v, and may wait for %v", r.Message.Payload.Label(), waited, o.QueueWait)
		}
	})
	held := c.Node.(cache.Holding).Holds()
	executed := held.Requests + held.Initializing
	if s.Params().Clock.Transfer > 0 {
		executed += seen.sending(s, w, c, wrong)
	}
	switch {
	case begun < executed:
		wrong("without", "%d requests are executed, and %d have seats", executed, begun)
	case begun > executed:
		wrong("kept", "%d requests are executed, and %d have seats: %s", executed, begun, strings.Join(having, ", "))
	case taken == 0 && len(waiting) > 0, len(waiting) > 0 && taken+widest <= o.Seats && seen.changes(l):
		wrong("idle", "requests wait, and %d of %d seats are taken", taken, o.Seats)
	}
	for _, r := range l.Refusals()[seen.refusals:] {
		if why := unfounded(o, &r, taken, waiting[r.Queue], seen); why != "" {
			wrong("refused", "%s is refused, and %s", r.Message.Payload.Label(), why)
		}
	}
	seen.fairness.judge(l, seen.arrivals, len(l.Refusals()) > seen.refusals, wrong)
	seen.refusals, seen.arrivals = len(l.Refusals()), l.Arrivals()
	seen.executing = append(seen.executing[:0], l.Executing()...)
}

// sending is how many requests have seats while their answer is sent. A LIST with objects keeps its seats until the
// objects and a message are through, also if its connection breaks. Level gives them back a nanosecond later.
func (seen *seatsSeen) sending(s *testbed.System, w *sim.World, c *testbed.Cache, wrong func(label, format string, args ...any)) (n int) {
	objects := map[sim.Conn]int{}
	w.UnderWay(c.ID, func(first *sim.Message, _ int) {
		if answer, list := first.Payload.(*wire.ListResponse); list && len(answer.Items) > 0 {
			objects[first.Conn] = len(answer.Items)
		}
	})
	clock := s.Params().Clock
	for k := range level(c).Executing() {
		r := &level(c).Executing()[k]
		if r.Sending < w.Now() || r.Sending == 0 {
			continue
		}
		n++
		of, left := objects[r.Message.Conn], r.Sending.Sub(w.Now())
		delete(objects, r.Message.Conn)
		begins := !slices.ContainsFunc(seen.executing, func(x flowcontrol.Request) bool { return x.Number == r.Number && x.Sending > 0 })
		if least := time.Duration(of) * clock.Transfer; begins && (left < least || left > least+longestMessage*clock.Network+1) {
			wrong("kept", "an answer of %d objects, sent with %v each, has seats for %v", of, clock.Transfer, left)
		}
	}
	return n + len(objects)
}

// longestMessage is how many times the delay of a message is that in the phase of faults.
const longestMessage = 11

// changes reports whether a request has come, or has given its seats back. The end of a wait gives no seats to
// others, as upstream.
func (seen *seatsSeen) changes(l *flowcontrol.Level) bool {
	return l.Arrivals() > seen.arrivals ||
		slices.ContainsFunc(seen.executing, func(r flowcontrol.Request) bool {
			return !slices.ContainsFunc(l.Executing(), func(x flowcontrol.Request) bool { return x.Number == r.Number })
		})
}

// unfounded says why a request was not to be refused; taken and waiting are after the step.
func unfounded(o *flowcontrol.Options, r *flowcontrol.Refusal, taken, waiting int, before *seatsSeen) string {
	switch r.Why {
	case flowcontrol.QueueFull:
		if taken < o.Seats || waiting < o.QueueLength {
			return fmt.Sprintf("%d of %d seats are taken, and its queue has %d requests of %d", taken, o.Seats, waiting, o.QueueLength)
		}
	case flowcontrol.TimeOut:
		if waited := r.At.Sub(r.Arrived); r.At > 0 && waited < o.QueueWait {
			return fmt.Sprintf("has waited for %v, and may wait for %v", waited, o.QueueWait)
		}
	case flowcontrol.CostlyAtEtcd:
		others := 0
		for i := range before.executing {
			if before.executing[i].Number != r.Number {
				others += before.executing[i].Seats
			}
		}
		if cost := seatsAtEtcd(o, r.List(), r.About.Objects); others+cost <= o.Seats {
			return fmt.Sprintf("%d of %d seats are taken by others, and it needs %d", others, o.Seats, cost)
		}
	}
	return ""
}

// objectsOf is how many objects a cache has, 0 before its first list.
func objectsOf(c *testbed.Cache) int {
	n := 0
	c.Mirror.Ascend(func(*wire.KeyValue) bool {
		n++
		return true
	})
	return n
}

// Conclude judges a cache at rest, when nothing waits, and nothing has seats; a run
// with a clock ends amid everything.
func (*seatsSeen) Conclude(s *testbed.System, w *sim.World, cache int, all *testbed.Tally) {
	c := s.Caches()[cache]
	l := level(c)
	if l == nil || w.Mode() == sim.Timed || !s.IsOver(w) {
		return
	}
	n := len(l.Executing())
	l.Waiting(func(*flowcontrol.Request) { n++ })
	if n > 0 {
		notKept(all, c, "left", "nothing more can happen, and %d requests wait for seats or have some", n)
	}
}

// notKept notes what is wrong with the seats of an API server.
func notKept(all *testbed.Tally, c *testbed.Cache, label, format string, args ...any) {
	all.Violatef(label, testbed.Concern{Node: c.Name}, "%s: "+format, append([]any{c.Name}, args...)...)
}

// seatsOf is what a request is to be estimated at (KEP-1040, and upstream's
// list_work_estimator.go), written down a second time. The objects are those
// that the cache has when the request comes, 0 before its first list.
func seatsOf(o *flowcontrol.Options, r *flowcontrol.Request, objects int) int {
	switch p := r.Message.Payload.(type) {
	case *wire.ListRequest:
		if p.Single {
			return 1
		}
		named := p.ResourceVersion != wire.Unset
		toEtcd := p.Match == wire.MatchExact ||
			p.Match == wire.MatchUnset && (p.Continue != "" || p.Limit > 0 && p.ResourceVersion > 0 || !named && !r.About.ConsistentReadSupported)
		if toEtcd {
			return seatsAtEtcd(o, p, objects)
		}
		switch o.SeatsBy {
		case flowcontrol.SeatsBySize:
			return seatsFor(o, math.Min(bytesOf(o, returnedOf(p, objects)), 1e6), 1e5)
		case flowcontrol.SeatsByMemory:
			if p.ResourceVersion == 0 {
				return seatsFor(o, float64(3*objects), float64(o.ObjectsPerSeat))
			}
			return seatsFor(o, float64(3*returnedOf(p, objects)), float64(o.ObjectsPerSeat))
		}
		return seatsFor(o, float64(objects), float64(o.ObjectsPerSeat))
	case *wire.WatchRequest:
		unasked := p.ResourceVersion == wire.Unset || p.ResourceVersion == 0
		resumes := !unasked && p.SendInitialEvents != wire.SendInitialEventsTrue
		if p.Single || resumes || r.About.WithoutWatchList {
			return 1
		}
		switch o.SeatsBy {
		case flowcontrol.SeatsBySize:
			return seatsFor(o, math.Min(bytesOf(o, objects), 1e6), 1e5)
		case flowcontrol.SeatsByMemory:
			return seatsFor(o, math.Min(float64(objects), 10), float64(o.ObjectsPerSeat))
		}
		return seatsFor(o, float64(objects), float64(o.ObjectsPerSeat))
	}
	return 1
}

// returnedOf is how many of so many objects a LIST is answered.
func returnedOf(p *wire.ListRequest, objects int) int {
	if p.Limit > 0 {
		return min(objects, int(p.Limit))
	}
	return objects
}

func bytesOf(o *flowcontrol.Options, objects int) float64 { return float64(objects * o.ObjectSize) }

// seatsAtEtcd is what a LIST is to be estimated at that etcd answers: objects are fetched
// and decoded.
func seatsAtEtcd(o *flowcontrol.Options, p *wire.ListRequest, objects int) int {
	returned, all := returnedOf(p, objects), p.Selector.Empty()
	switch {
	case o.SeatsBy == flowcontrol.SeatsByMemory:
		return seatsFor(o, float64(5*returned), float64(o.ObjectsPerSeat))
	case o.SeatsBy == flowcontrol.SeatsBySize && all:
		return seatsFor(o, bytesOf(o, returned), 1e5)
	case o.SeatsBy == flowcontrol.SeatsBySize:
		return seatsFor(o, math.Max(bytesOf(o, returned), bytesOf(o, objects/2)), 1e5)
	case all:
		return seatsFor(o, float64(2*returned), float64(o.ObjectsPerSeat))
	}
	return seatsFor(o, float64(objects+returned), float64(o.ObjectsPerSeat))
}

// seatsFor is how many seats a cost takes: at most ten, or a hundred if it is of bytes, 15 % of the level's, and what
// is left for each queue of a client.
func seatsFor(o *flowcontrol.Options, cost, perSeat float64) int {
	most := float64(o.Seats)
	if !o.Uncapped {
		most = math.Min(math.Ceil(float64(15*o.Seats)/100), math.Floor(float64(o.Seats)/float64(o.HandSize)))
		if o.SeatsBy == flowcontrol.SeatsBySize || o.SeatsBy == flowcontrol.SeatsByMemory {
			most = math.Min(100, most)
		} else {
			most = math.Min(10, most)
		}
	}
	return int(math.Max(1, math.Min(math.Ceil(cost/perSeat), most)))
}

// WithinSeats judges what seats are for: what an API server has etcd do at a time. KEP-2340
// ("Per-request override") is against a fallback because "cost of request would change
// after the APF decision increasing the risk of overload". It is exercised by each request
// that comes to a cache that has seats. No answer is wrong, so it counts as liveness.
var WithinSeats = testbed.RegisterProperty(&testbed.Property{
	Name: "etcd-within-seats", Kind: testbed.Liveness,
	Promise:  "The LISTs that an API server has with etcd cost no more seats together than it has, each taken as what it is and not as what was estimated when it was admitted.",
	Violated: "more work at etcd than seats",
	Weight:   10,
	New:      testbed.EachCache(withinSeats),
})

// withinSeats judges a cache to which so many requests had come before the step.
func withinSeats(_ *testbed.System, _ *sim.World, c *testbed.Cache, arrivals *int, all *testbed.Tally) {
	l := level(c)
	if l == nil {
		return
	}
	lists, seats, admitted := 0, 0, 0
	for k := range l.Executing() {
		if r := &l.Executing()[k]; r.AtEtcd > 0 {
			lists++
			seats += seatsAtEtcd(l.Options(), r.List(), r.About.Objects)
			admitted += r.Seats
		}
	}
	all.Exercised += max(0, l.Arrivals()-*arrivals)
	*arrivals = l.Arrivals()
	if limit := l.Options().Seats; seats > limit {
		all.Violatef("", testbed.Concern{Node: c.Name}, "%s has %d LISTs with etcd that cost %d seats, of %d; they were admitted with %d",
			c.Name, lists, seats, limit, admitted)
	}
}
