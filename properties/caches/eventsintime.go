package caches

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// EventsInTime follows events on their way from etcd to clients. An event that others are before in its stage, or that
// finds no room in the next one, is judged from when the last one before it has gone on. It is exercised by each event
// that leaves a stage in the liveness phase, when what was under way in the safety phase is over. An event that never
// leaves its stage is for other properties.
var EventsInTime = testbed.RegisterProperty(&testbed.Property{
	Name: "events-in-time", Kind: testbed.Liveness,
	Promise:  "In the liveness phase an event is in each stage of its way, from its commit in etcd to a client, no longer than the delays of that stage allow.",
	Violated: "event held up",
	Labels: map[string]string{
		testbed.EtcdWatchers.String(): "late into a watch stream", testbed.EtcdStream.String(): "late out of etcd", testbed.Network.String(): "late on the network",
		testbed.ClientBuffer.String(): "late out of clientv3", testbed.Decode.String(): "decoded late", testbed.Ingestion.String(): "late in the cache",
		testbed.Dispatch.String(): "dispatched late", testbed.WatcherChannel.String(): "late out of a watcher", testbed.Delivery.String(): "late at the client",
	},
	Inside: true,
	New: func(s *testbed.System) testbed.Judge {
		j := &eventsInTime{bounds: s.StageBounds(), moved: map[queueOfStage]sim.Time{}}
		reading := s.Params().Workload.Reading.Habit
		j.paced = reading != "" && reading != "fast" || s.Params().Workload.ListWatch.Slow
		c := s.Params().Clock
		j.settling = safetyDelays * (c.Network + c.Scheduling)
		s.OnPassage(j.passed)
		return j
	},
})

// safetyDelays: ten times the delays of the liveness phase, for a message and for a turn on each side of it.
const safetyDelays = 20

type eventsInTime struct {
	bounds [testbed.Stages]testbed.Bound
	// paced: clients take their time, which no bound is about.
	paced bool
	// settling is how long the delays of the safety phase may be felt.
	settling sim.Duration
	// healed is when the liveness phase was first seen, 0 before it.
	healed sim.Time
	// moved is when an event has left a stage last.
	moved map[queueOfStage]sim.Time
	tally testbed.Tally
}

type queueOfStage struct {
	stage testbed.Stage
	queue testbed.Queue
}

// Reset implements testbed.Judge.
func (j *eventsInTime) Reset() {
	clear(j.moved)
	j.healed, j.tally = 0, testbed.Tally{}
}

func (j *eventsInTime) Finding(*sim.World) explore.Finding { return j.tally.Finding() }

func (j *eventsInTime) passed(w *sim.World, p *testbed.Passage) {
	if w.Phase() == sim.Safety {
		return
	}
	if j.healed == 0 {
		j.healed = w.Now()
	}
	own := queueOfStage{p.Stage, p.Queue}
	first := max(p.Began, j.moved[own], j.moved[queueOfStage{p.Stage + 1, p.Next}])
	j.moved[own] = max(j.moved[own], p.Ended)
	bound := &j.bounds[p.Stage]
	if p.Revision == 0 || bound.Total == 0 || j.paced && p.Stage == testbed.Delivery || first < j.healed+sim.Time(j.settling) {
		return
	}
	j.tally.Exercised++
	if p.Ended.Sub(first) > bound.Total {
		j.tally.Violatef(p.Stage.String(), testbed.Concern{Revision: p.Revision}, "the event of revision %d is in the stage %v from %v to %v, and from %v on it is the first there; %v are allowed (%s)",
			p.Revision, p.Stage, p.Began.Sub(0), p.Ended.Sub(0), first.Sub(0), bound.Total, bound.Derivation)
	}
}
