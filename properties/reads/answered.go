package reads

import (
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/fair"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

// Answered looks for a state that a run without a clock comes to twice while a request
// waits. What happened in between can happen for ever: if each message, loop and timer had
// its turn in it, the request is never answered. A state in which nothing can happen any
// more is one that is come to twice. Deadlines (sim.Deadlines) do not count: an answer that
// says that the cache gave up is what a user sees of this.
//
// It is exercised by each answer.
var Answered = testbed.RegisterProperty(&testbed.Property{
	Name: "answered", Kind: testbed.Liveness,
	Promise:  "Each request is answered sooner or later, if each message arrives, and each loop and each timer has its turn.",
	Violated: "never answered",
	Weight:   6,
	Goal:     func(s *testbed.System) testbed.Goal { return answeredGoal{s} },
	New:      func(s *testbed.System) testbed.Judge { return &answered{system: s} },
})

// answeredGoal is open for each client that waits.
type answeredGoal struct{ system *testbed.System }

// Open implements testbed.Goal.
func (g answeredGoal) Open() uint64 {
	var open uint64
	for i, c := range g.system.Clients() {
		if c.Waiting() {
			open |= 1 << i
		}
	}
	return open
}

// Failure implements testbed.Goal.
func (answeredGoal) Failure() explore.Failure {
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
	found    *unanswered
}

// turns are the last step after which something was enabled that is owed a turn, and the last
// with which it happened.
type turns struct{ enabled, taken int }

// Reset implements testbed.Judge.
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

// AfterStep implements testbed.StepObserver.
func (j *answered) AfterStep(w *sim.World, a sim.Action) {
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
		if fair.IsOwed(w, e) {
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
	j.found = &unanswered{client: waits.Name(), op: &waits.Operations()[len(waits.Operations())-1], from: from, to: w.Steps()}
	for _, e := range w.Enabled() {
		if e.Kind == sim.Fire && fair.IsOwed(w, e) {
			j.found.timers = append(j.found.timers, fmt.Sprintf("%s of %s", w.Activity(e), w.NodeName(e.Node)))
		}
	}
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

// Finding implements testbed.Judge.
func (j *answered) Finding(*sim.World) explore.Finding {
	var all testbed.Tally
	for _, c := range j.system.Clients() {
		all.Exercised += len(c.Operations())
		if c.Waiting() {
			all.Exercised--
		}
	}
	if j.found != nil {
		all.Violate(neverAnswered, j.found)
	}
	return all.Finding()
}

// unanswered is a request that is never answered.
type unanswered struct {
	client string
	op     *model.Operation
	// from and to are the steps after which the run is in the same state.
	from, to int
	// timers are those that fire in between.
	timers []string
}

func (u *unanswered) String() string {
	asked := u.op.Request.Kind.String()
	if u.op.Request.Kind == model.List || u.op.Request.Kind == model.Get {
		asked = request(u.op.Request)
	}
	asks := fmt.Sprintf("%s's %s is never answered", u.client, asked)
	if u.from == u.to {
		return asks + ": nothing can happen any more but that the wait is given up."
	}
	return fmt.Sprintf("%s: the state after step %d is that after step %d again, although each message arrived, and each loop and each timer had its turn (%s). The same can go on for ever.",
		asks, u.to, u.from, strings.Join(u.timers, ", "))
}

// Concerns implements explore.Concerned.
func (u *unanswered) Concerns() explore.Concern {
	return explore.Concern{Client: u.client, Call: u.op.Call}
}
