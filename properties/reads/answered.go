package reads

import (
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

// Answered looks for a state that a run without a clock comes to twice while a request
// waits. What happened in between can happen for ever: if each message, loop and timer had
// its turn in it, the request is never answered. A state in which nothing can happen any
// more counts as a state that recurs. Deadlines (sim.Deadlines) do not count: a user sees them
// as the answer that the cache gave up.
//
// It is exercised by each answer.
var Answered = testbed.RegisterProperty(&testbed.Property{
	Name: "answered", Kind: testbed.Liveness,
	Promise:  "Each request is answered sooner or later, if each message arrives, and each loop and each timer has its turn.",
	Violated: "never answered",
	Weight:   6,
	Monitor:  testbed.Monitor{Runs: testbed.Untimed, Liveness: func(s *testbed.System) prove.Liveness { return answeredLiveness{s} }},
	New:      testbed.AfterStepsBy(func(s *testbed.System) *answered { return &answered{system: s} }, (*answered).step),
})

// answeredLiveness is open for each client that waits.
type answeredLiveness struct{ system *testbed.System }

func (g answeredLiveness) Open() uint64 {
	var open uint64
	for i, c := range g.system.Clients() {
		if c.Waiting() {
			open |= 1 << i
		}
	}
	return open
}

func (answeredLiveness) Failure() explore.Failure {
	return explore.Failure{Property: Answered.Name, Label: neverAnswered}
}

const neverAnswered = "never"

type answered struct {
	system *testbed.System
	// visits are the steps after which the run came to a state first since the present
	// requests were made, by the fingerprints of the states.
	visits map[sim.Digest]int
	// turns are by slot.
	turns []turns
	// requests is how many were made so far.
	requests int
	found    fmt.Stringer
}

// turns are the last step after which something was enabled that is owed a turn, and the last
// with which it happened.
type turns struct{ enabled, taken int }

func (j *answered) Reset() {
	*j = answered{system: j.system, visits: map[sim.Digest]int{}, turns: j.turns[:0]}
}

// turnsOf are those of a slot.
func (j *answered) turnsOf(slot int32) *turns {
	for int(slot) >= len(j.turns) {
		j.turns = append(j.turns, turns{})
	}
	return &j.turns[slot]
}

func (j *answered) step(w *sim.World, a sim.Action, _ *testbed.Tally) {
	if j.found != nil || w.Mode() == sim.Timed {
		return
	}
	waits, requests := j.waits()
	if requests != j.requests {
		clear(j.visits)
		j.requests = requests
	}
	if waits == nil {
		return
	}
	state, err := w.Behaviour()
	if err != nil {
		// A run with such a node does not put the property to the test.
		return
	}
	j.turnsOf(a.Slot).taken = w.Steps()
	owed := 0
	for _, e := range w.Enabled() {
		if explore.IsOwed(w, e) {
			j.turnsOf(e.Slot).enabled = w.Steps()
			owed++
		}
	}
	from, again := j.visits[state]
	switch {
	case owed == 0:
		from = w.Steps()
	case !again:
		j.visits[state] = w.Steps()
		return
	case !j.fairSince(from):
		return
	}
	var timers []string
	for _, e := range w.Enabled() {
		if e.Kind == sim.Fire && explore.IsOwed(w, e) {
			timers = append(timers, fmt.Sprintf("%s of %s", w.Activity(e), w.NodeName(e.Node)))
		}
	}
	j.found = unanswered(waits.Name(), &waits.Operations()[len(waits.Operations())-1], from, w.Steps(), timers)
}

// fairSince reports whether everything that was enabled since a step, and is owed a turn, has
// had one.
func (j *answered) fairSince(step int) bool {
	for _, t := range j.turns {
		if t.enabled >= step && t.taken <= step {
			return false
		}
	}
	return true
}

// waits is a client that waits, and how many requests and answers there were.
func (j *answered) waits() (waits *workload.Client, moves int) {
	for _, c := range j.system.Clients() {
		moves += 2 * len(c.Operations())
		if c.Waiting() {
			moves--
			waits = c
		}
	}
	return waits, moves
}

func (j *answered) Conclude(_ *sim.World, all *testbed.Tally) {
	for _, c := range j.system.Clients() {
		all.Exercised += len(c.Operations())
		if c.Waiting() {
			all.Exercised--
		}
	}
	if j.found != nil {
		all.Violate(neverAnswered, j.found)
	}
}

// unanswered is a request that is never answered: the run is in the same state after two steps,
// and timers fire in between.
func unanswered(client string, op *model.Operation, from, to int, timers []string) fmt.Stringer {
	about, asked := testbed.Concern{Client: client, Call: op.Call}, op.Request.Kind.String()
	if op.Request.Kind == model.List || op.Request.Kind == model.Get {
		asked = request(op.Request)
	}
	if from == to {
		return testbed.Wrong(about, "%s's %s is never answered: nothing can happen any more but that the wait is given up.", client, asked)
	}
	return testbed.Wrong(about, "%s's %s is never answered: the state after step %d is that after step %d again, although each message arrived, and each loop and each timer had its turn (%s). The same can go on for ever.",
		client, asked, to, from, strings.Join(timers, ", "))
}
