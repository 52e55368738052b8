package delivery

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/testbed"
)

// Bounded looks at a cache after each of its steps. What it keeps for one watch is a channel of
// events, whose size does not depend on how long the client has not read, and a piece of the
// history, of which upstream copies 100 events at a time (watchCacheInterval). Events are shared,
// so that their number bounds the memory. It is exercised by each step after which a channel is
// full, or a piece of the history waits.
var Bounded = testbed.RegisterProperty(&testbed.Property{
	Name: "backlog-bounded", Kind: testbed.Safety,
	Promise:   "However long a client does not read, a cache keeps no more events for its watch than the channel holds, and 100 of its history.",
	Violated:  "watch keeps too many events",
	Labels:    map[string]string{"channel": "channel holds more than its size", "history": "too much of the history copied"},
	Past:      testbed.NoPast,
	TimedPast: testbed.NoPast,
	New:       func(s *testbed.System) testbed.Judge { return &bounded{system: s} },
})

// pieceOfHistory is how many events of the history a watch has copied at most.
const pieceOfHistory = 100

type bounded struct {
	system *testbed.System
	tally  testbed.Tally
}

// Reset implements testbed.Judge.
func (j *bounded) Reset() { j.tally = testbed.Tally{} }

// Follows implements testbed.Follower.
func (*bounded) Follows(p testbed.Part) bool { return p == testbed.CacheNode }

// AfterStep implements testbed.StepObserver.
func (j *bounded) AfterStep(_ *sim.World, a sim.Action) {
	c := j.system.Cache(a.Node)
	if c == nil {
		return
	}
	of, ok := c.Node.(cache.Backlogged)
	if !ok {
		return
	}
	b := of.Backlog()
	if b.Capacity > 0 && b.Queued >= b.Capacity || b.Copied > 0 {
		j.tally.Exercised++
	}
	switch {
	case b.Queued > b.Capacity:
		j.tally.Violate("channel", &overfull{c.Name, fmt.Sprintf("%d events wait in a channel for %d", b.Queued, b.Capacity)})
	case b.Copied > pieceOfHistory:
		j.tally.Violate("history", &overfull{c.Name, fmt.Sprintf("%d events of the history are copied", b.Copied)})
	}
}

// Finding implements testbed.Judge.
func (j *bounded) Finding(*sim.World) explore.Finding { return j.tally.Finding() }

// overfull is a watch for which too much is kept.
type overfull struct{ cache, what string }

func (o *overfull) String() string { return o.cache + " keeps too much for one watch: " + o.what }

// Concerns implements explore.Concerned.
func (o *overfull) Concerns() explore.Concern { return explore.Concern{Node: o.cache} }
