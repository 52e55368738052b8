package recording

import (
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

// Follower is a chooser that follows a recording through changed code as far as
// it fits. At each pick it takes the next recorded action. If that is not possible
// it first tries an action that the rest of the recording does not mention, a
// message or loop that is probably new; then it goes on a little ahead in the
// recording, and takes what it skipped as soon as that is possible. Where nothing
// fits, and after the end, it takes explore.DefaultChoice. A question gets the
// recorded answer, or the first option.
type Follower struct {
	f       *follower
	choices []string
	// answerAt is the place of each recorded answer among the choices, stepAt that of
	// each step.
	answerAt map[*answer]int
	stepAt   []int
	// passedOver are the places of answers that did not fit the step that was taken.
	passedOver []int
}

// lookAhead is how far ahead of its place a recording may be picked up, and how
// many steps it does not mention may come in a row. Timers are enabled nearly
// always in an untimed world: without a limit a timer that was recorded to fire
// much later would fire now.
const lookAhead = 24

// NewFollower returns a chooser for one run, or an error if a choice is not
// well-formed.
func NewFollower(rec *Recording) (*Follower, error) {
	t := newNames()
	p, err := newPlan(rec.Choices, t)
	if err != nil {
		return nil, err
	}
	f := &follower{planned: planned{names: t}, ahead: lookAhead, finish: true, maxDetour: lookAhead}
	f.begin(p)
	c := &Follower{f: f, choices: rec.Choices, answerAt: map[*answer]int{}}
	at := 0
	place := func(answers []answer) {
		for i := range answers {
			c.answerAt[&answers[i]] = at
			at++
		}
	}
	place(p.start)
	for i := range p.steps {
		c.stepAt = append(c.stepAt, at)
		at++
		place(p.steps[i].answers)
	}
	return c, nil
}

// Followed is how many of the recorded choices the run took, and how many there
// are.
func (c *Follower) Followed() (taken, recorded int) { return c.f.followed, len(c.choices) }

// Pick implements sim.Chooser.
func (c *Follower) Pick(w *sim.World, enabled []sim.Action) int {
	c.passOver(c.f.answers)
	return c.f.Pick(w, enabled)
}

// Choose implements sim.Chooser.
func (c *Follower) Choose(w *sim.World, n int, what string) int {
	before, followed := c.f.answers, c.f.followed
	chosen := c.f.Choose(w, n, what)
	if c.f.followed > followed {
		// The last of those that are gone was given.
		c.passOver(before[:len(before)-len(c.f.answers)-1])
	}
	return chosen
}

func (c *Follower) passOver(answers []answer) {
	for i := range answers {
		c.passedOver = append(c.passedOver, c.answerAt[&answers[i]])
	}
}

// Unfitting are the recorded choices that the run did not take, by their places in the
// recording, from 0 on. It is for the end of the run.
func (c *Follower) Unfitting() []int {
	c.passOver(c.f.answers)
	c.f.answers = nil
	left := slices.Clone(c.passedOver)
	for _, h := range c.f.head {
		for ; h >= 0; h = c.f.next[h] {
			left = append(left, c.stepAt[h])
			for i := range c.f.wanted.steps[h].answers {
				left = append(left, c.stepAt[h]+1+i)
			}
		}
	}
	slices.Sort(left)
	return left
}

// follower follows a plan and keeps the plan of the run that comes of it.
type follower struct {
	planned
	// ahead limits how far ahead of its place the wanted plan is picked up.
	ahead int
	// finish: when the wanted plan is used up, or nothing in it fits, the run goes
	// on with default choices; otherwise it is cut off there.
	finish bool
	// maxDetour is how many steps in a row may be such that the wanted plan does
	// not mention them; detour is how many there are just now.
	maxDetour, detour int

	wanted *plan
	// next[i] is the next wanted step with the same name as step i, head the first
	// such step that is not taken yet, by name: -1 if there is none.
	next, head []int32
	// place is one past the furthest step taken, left how many are not taken.
	place, left int
	// answers are those of the step that was taken, from the first one on that is
	// not given yet.
	answers  []answer
	followed int
}

// begin starts a run that follows p.
func (c *follower) begin(p *plan) {
	c.names.begin()
	c.wanted, c.place, c.left, c.followed, c.detour = p, 0, len(p.steps), 0, 0
	c.answers = p.start
	c.plan.start, c.plan.steps = c.plan.start[:0], c.plan.steps[:0]
	c.head = c.head[:0]
	c.growHead()
	c.next = append(c.next[:0], make([]int32, len(p.steps))...)
	for i := len(p.steps) - 1; i >= 0; i-- {
		name := p.steps[i].name
		c.next[i] = c.head[name]
		c.head[name] = int32(i)
	}
}

func (c *follower) growHead() {
	for len(c.head) < len(c.names.texts) {
		c.head = append(c.head, -1)
	}
}

func (c *follower) Pick(w *sim.World, enabled []sim.Action) int {
	names := c.names.ofActions(w, enabled)
	c.growHead()
	byDefault := explore.DefaultChoice(enabled)
	picked, at := c.nextWanted(names)
	if k := len(c.plan.steps); k >= c.wanted.inTurn[0] && k < c.wanted.inTurn[1] {
		if picked, at = byDefault, c.head[names[byDefault]]; at < 0 {
			picked = -1
		}
	}
	c.answers = nil
	if picked < 0 || int(at) > c.place {
		if i := c.unmentioned(names, enabled); i >= 0 {
			c.detour++
			c.addStep(names, i, byDefault)
			return i
		}
	}
	c.detour = 0
	switch {
	case picked >= 0:
		c.head[names[picked]] = c.next[at]
		c.place = max(c.place, int(at)+1)
		c.left--
		c.followed++
		c.answers = c.wanted.steps[at].answers
	case !c.finish && (c.left == 0 || len(enabled) > 1 && w.Mode() == sim.Untimed):
		return -1
	default:
		picked = byDefault
	}
	c.addStep(names, picked, byDefault)
	return picked
}

// nextWanted is the index of the enabled action that comes first in the wanted
// plan, within ahead, and the index of its step there; picked is -1 if there is
// none.
func (c *follower) nextWanted(names []int32) (picked int, at int32) {
	picked, at = -1, int32(c.place+c.ahead)
	for i, name := range names {
		if h := c.head[name]; h >= 0 && h <= at {
			picked, at = i, h
		}
	}
	return picked, at
}

// unmentioned is a message or loop that the rest of the wanted plan does not
// mention, -1 if there is none or a detour has gone on for too long.
func (c *follower) unmentioned(names []int32, enabled []sim.Action) int {
	if c.detour >= c.maxDetour || c.left == 0 {
		return -1
	}
	for i, name := range names {
		if k := enabled[i].Kind; c.head[name] < 0 && k != sim.Fire && k != sim.Inject {
			return i
		}
	}
	return -1
}

func (c *follower) Choose(w *sim.World, n int, what string) int {
	a := answer{question: c.names.ofQuestion(w, what), options: int32(n)}
	for i := range c.answers {
		if c.answers[i].question == a.question {
			a.value = min(c.answers[i].value, int32(n-1))
			c.answers = c.answers[i+1:]
			c.followed++
			break
		}
	}
	c.plan.addAnswer(a)
	return int(a.value)
}
