package testbed

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/progress"
	"github.com/watchbed/watchbed/sim/etcd/lease"
)

// Bound is how long something may take in the liveness phase, with what it is
// made of.
type Bound struct {
	Total      time.Duration
	Derivation string
}

// Plus adds a part to a bound; text says what it is.
func (b Bound) Plus(part time.Duration, text string) Bound {
	if b.Derivation != "" {
		text = b.Derivation + ", " + text
	}
	return Bound{b.Total + part, text}
}

// The parts of a bound that do not come from the declared delays, unless an option says
// otherwise: etcd's watchResyncPeriod, Kubernetes' progressRequestPeriod, how long reads are
// gathered that share one read of the revision, and --election-timeout.
const (
	syncInterval     = 100 * time.Millisecond
	pollPeriod       = 100 * time.Millisecond
	accumulatePeriod = 10 * time.Millisecond
	electionTimeout  = time.Second
)

// maxNoLeaderCnt is after how many election timeouts without a leader monitorLeader ends the
// streams that require one.
const maxNoLeaderCnt = 3

// ElectionTimeout is that of etcd.
func (s *System) ElectionTimeout() time.Duration {
	return cmp.Or(s.nodes.Etcd.Elections.Timeout, electionTimeout)
}

// WithoutLeader adds the time after which a member that knows no leader ends streams.
func (s *System) WithoutLeader(b Bound) Bound {
	return b.Plus(maxNoLeaderCnt*s.ElectionTimeout(), "three election timeouts without a leader")
}

// lessorPeriod is that of the lessor's runLoop: it looks for leases that have run out. It
// hands over at most 500 of them in a turn (leaseRevokeRate), which no run comes to.
const lessorPeriod = 500 * time.Millisecond

// LeaseBound is how long it may take until an expired lease is revoked. The lessor
// finds it at its next turn. The revocation is an entry of the log behind the entries of clients
// and of other leases. The present turn of the apply loop may have begun in the
// safety phase, where it takes ten times as long.
func (s *System) LeaseBound() Bound {
	c := &s.params.Clock
	n := 10 + int(s.params.Workload.TotalWrites())
	var b Bound
	b = b.Plus(lessorPeriod, fmt.Sprintf("a turn of the lessor every %v", lessorPeriod))
	if n := s.params.Faults.Overloads; n > 0 {
		b = b.Plus(time.Duration(n)*lease.RetryInterval, fmt.Sprintf("%d times %v until a revocation that was refused is proposed again", n, lease.RetryInterval))
	}
	return b.Plus(time.Duration(n)*c.Scheduling, fmt.Sprintf("%d turns of the apply loop of at most %v", n, c.Scheduling))
}

// DeliveryBound is how long it may take until an event has come from etcd to a
// cache: 8 messages there and back, a turn of a loop behind each end of them, and
// the events that are under way, which go through the same loops before it. In the
// worst case the watcher is unsynced: the next sync comes within its interval.
func (s *System) DeliveryBound() Bound {
	const messages, loops, loopsPerWrite = 8, 16, 4
	c := &s.params.Clock
	n := loops + loopsPerWrite*s.params.Workload.ObjectWrites()
	var b Bound
	b = b.Plus(messages*c.Network, fmt.Sprintf("%d messages of at most %v", messages, c.Network))
	b = b.Plus(time.Duration(n)*c.Scheduling, fmt.Sprintf("%d turns of a loop of at most %v", n, c.Scheduling))
	sync := s.syncInterval()
	return b.Plus(sync, fmt.Sprintf("a sync interval of %v", sync))
}

// syncInterval is the longest that a member of etcd has.
func (s *System) syncInterval() time.Duration {
	longest := cmp.Or(s.etcd.config.Options.Store.SyncInterval, syncInterval)
	for i := range s.etcd.config.Members {
		longest = max(longest, cmp.Or(s.etcd.config.Members[i].Options.Store.SyncInterval, syncInterval))
	}
	return longest
}

// StageBounds are how long an event may be in each stage of its way while it is the first there and finds room in the
// next one. Loops have other work in between: responses without events, bookmarks, victims. In its own stage an event
// waits for turns of loops. An unsynced watcher is synced within an interval, and a victim before that is offered its
// events once more after its interval. What goes from one goroutine of an API server to another takes as long as a
// message. The dispatcher may wait for a watcher whose channel is full until its budget is used up. A member may be
// behind for ever, so that EtcdApply has no bound. Inside has the bounds of the stages that it stands for.
func (s *System) StageBounds() (all [Stages]Bound) {
	const turns, victimInterval = 16, 10 * time.Millisecond
	budget := Bound{100 * time.Millisecond, "a budget of 100ms"}
	if slices.ContainsFunc(s.caches, func(c *Cache) bool { return c.Server().Design.SpeaksEtcd }) {
		budget = Bound{50 * time.Millisecond, "a turn of resyncLoop every 50ms"}
	}
	c := &s.params.Clock
	loop := Bound{}.Plus(turns*c.Scheduling, fmt.Sprintf("%d turns of a loop of at most %v", turns, c.Scheduling))
	message := fmt.Sprintf("a message of at most %v", c.Network)
	for stage := range all {
		all[stage] = loop
	}
	sync := s.syncInterval()
	all[EtcdApply], all[Inside] = Bound{}, Bound{}
	all[EtcdWatchers] = loop.Plus(sync, fmt.Sprintf("a sync interval of %v", sync)).Plus(victimInterval, fmt.Sprintf("an interval of victims of %v", victimInterval))
	all[Network] = Bound{}.Plus(c.Network, message)
	if t := s.nodes.Client.Watcher.DecodeTime; t > 0 {
		all[Decode] = loop.Plus(t, fmt.Sprintf("%v to decode it", t))
		all[ClientBuffer] = loop.Plus(t, fmt.Sprintf("%v to decode what has the slot of the decoder", t))
	}
	all[Ingestion] = loop.Plus(c.Network, message).Plus(budget.Total, budget.Derivation)
	all[Dispatch] = loop.Plus(budget.Total, budget.Derivation)
	all[Delivery] = Bound{}.Plus(c.Network, message)
	for _, cache := range s.caches {
		if slices.ContainsFunc(cache.servers, func(of *Server) bool { return of.Cache.Watches.SlowWatchers == dispatch.Groups }) {
			// Those with room are served in passes, which have a period of their own.
			all[WatcherChannel] = Bound{}
		}
	}
	if c.Transfer > 0 {
		all[Delivery] = all[Delivery].Plus(c.Transfer, fmt.Sprintf("%v to transfer it", c.Transfer))
	}
	for stage := ClientBuffer; stage < Delivery; stage++ {
		all[Inside] = all[Inside].Plus(all[stage].Total, fmt.Sprintf("%v in the stage %v", all[stage].Total, stage))
	}
	return all
}

// ReadBound is how long a consistent read may take in the liveness phase. It costs
// its own round trip and that of the revision read (4 messages). The first
// progress request after the sync comes within two polls (one may have been
// dropped just before). The request and its answer take 4 messages through the
// client library.
//
// A read that takes an echoed progress request for its proof can use neither a
// progress request sent before the read came, nor the event that it waits for: one
// poll more. A read that waits for etcd's periodic progress has etcd's ticks for
// polls. They may come a tenth late, and skip a watch that was sent an event.
//
// Of servers with different options it is what the slowest of them may take.
func (s *System) ReadBound() Bound {
	var longest Bound
	for _, c := range s.caches {
		for _, of := range c.servers {
			if b := s.readBound(&of.Cache); b.Total > longest.Total {
				longest = b
			}
		}
	}
	return longest
}

// WriteBound is how long a write through an API server may take in the liveness phase. Each try may begin with a read
// of the newest state, and is 4 messages. A try with an old object is followed by one more, and so is each that meets
// the write of another client.
func (s *System) WriteBound() Bound {
	const messages = 4
	o := &s.params.Workload.Updating
	read, tries := s.ReadBound(), 2+s.params.Workload.ObjectWrites()-o.Updates
	return Bound{}.Plus(time.Duration(tries)*(read.Total+messages*s.params.Clock.Network),
		fmt.Sprintf("%d tries, each a read within %v and %d messages of at most %v", tries, read.Total, messages, s.params.Clock.Network))
}

func (s *System) readBound(o *cache.Options) Bound {
	polls, period, name := 2, cmp.Or(o.ProgressRequestPeriod, pollPeriod), "polls"
	switch o.ProgressRequests {
	case progress.Echo:
		polls++
	case progress.Notify:
		period, name = s.nodes.notifyInterval()*11/10, "ticks"
	}
	b := s.DeliveryBound().Plus(time.Duration(polls)*period, fmt.Sprintf("%d %s of %v", polls, name, period))
	if o.Reads.SharesRevision {
		gathered := cmp.Or(o.AccumulatePeriod, accumulatePeriod)
		b = b.Plus(gathered, fmt.Sprintf("%v in which reads are gathered", gathered))
	}
	return b
}

// EventsInTime follows events on their way from etcd to clients. An event that others are before in its stage, or that
// finds no room in the next one, is judged from when the last one before it has gone on. It is exercised by each event
// that leaves a stage in the liveness phase, when what was under way in the safety phase is over. An event that never
// leaves its stage is for other properties.
var EventsInTime = RegisterProperty(&Property{
	Name: "events-in-time", Kind: Liveness,
	Promise:  "In the liveness phase an event is in each stage of its way, from its commit in etcd to a client, no longer than the delays of that stage allow.",
	Violated: "event held up",
	Labels: map[string]string{
		EtcdWatchers.String(): "late into a watch stream", EtcdStream.String(): "late out of etcd", Network.String(): "late on the network",
		ClientBuffer.String(): "late out of clientv3", Decode.String(): "decoded late", Ingestion.String(): "late in the cache",
		Dispatch.String(): "dispatched late", WatcherChannel.String(): "late out of a watcher", Delivery.String(): "late at the client",
		Inside.String(): "late out of the API server",
	},
	Inside: true,
	New: func(s *System) Judge {
		j := &eventsInTime{system: s, bounds: s.StageBounds(), moved: map[queueOfStage]sim.Time{}}
		reading := s.params.Workload.Reading.Habit
		j.paced = reading != "" && reading != "fast" || s.params.Workload.ListWatch.Slow
		s.OnPassage(j.passed)
		return j
	},
})

// WhyNotInTime is the reason why a scenario with a clock and these defaults does not claim EventsInTime by itself, empty
// if it does. A writer may pause before each write for as long as it thinks.
func (p *Params) WhyNotInTime() string {
	w, c := &p.Workload, &p.Clock
	switch last := w.WriteFrom + time.Duration(w.Writes)*w.Think; {
	case p.Topology.Servers == 0:
		return "there is no cache"
	case w.Writers == 0:
		return "no client writes what a cache has"
	case last*3/4 < p.Faults.For+c.settling():
		return "in most runs each write comes while faults and wide delays may be felt"
	}
	return ""
}

// settling is how long the delays of the safety phase may be felt: ten times those of the liveness phase, for a message
// and for a turn on each side of it.
func (c *Clock) settling() sim.Duration { return 20 * (c.Network + c.Scheduling) }

type eventsInTime struct {
	bounds [Stages]Bound
	// paced: clients take their time, which no bound is about.
	paced  bool
	system *System
	// moved is when an event has left a stage last.
	moved map[queueOfStage]sim.Time
	tally Tally
}

type queueOfStage struct {
	stage Stage
	queue Queue
}

func (j *eventsInTime) Reset() {
	clear(j.moved)
	j.tally = Tally{}
}

func (j *eventsInTime) Finding(*sim.World) explore.Finding { return j.tally.Finding() }

func (j *eventsInTime) passed(w *sim.World, p *Passage) {
	if w.Phase() == sim.Safety {
		return
	}
	own := queueOfStage{p.Stage, p.Queue}
	first := max(p.Began, j.moved[own], j.moved[queueOfStage{p.Stage.next(), p.Next}])
	j.moved[own] = max(j.moved[own], p.Ended)
	bound := &j.bounds[p.Stage]
	if p.Revision == 0 || bound.Total == 0 || j.paced && p.Stage >= Delivery || first < j.system.healed+sim.Time(j.system.params.Clock.settling()) {
		return
	}
	j.tally.Exercised++
	if p.Ended.Sub(first) > bound.Total {
		j.tally.Violatef(p.Stage.String(), Concern{Revision: p.Revision}, "the event of revision %d is in the stage %v from %v to %v, and from %v on it is the first there; %v are allowed (%s)",
			p.Revision, p.Stage, p.Began.Sub(0), p.Ended.Sub(0), first.Sub(0), bound.Total, bound.Derivation)
	}
}
