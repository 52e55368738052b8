package testbed

import (
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

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
