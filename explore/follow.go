package explore

import "github.com/watchbed/watchbed/sim"

// Follower is a chooser that follows a recording through changed code as far as
// it fits. At each pick it takes what the recording took next. If that is not
// possible it first tries what the rest of the recording does not mention, a
// message or loop that is probably new and in between; then it goes on a little
// ahead in the recording, and makes up for what it skipped as soon as that is
// possible. Where nothing fits, and after the end, it takes what has been possible
// for longest, but timers only when nothing else can happen, and faults last. A
// question gets the recorded answer, or the first option.
type Follower struct {
	f        *follower
	recorded int
}

// lookAhead is how far ahead of its place a recording may be picked up, and how
// many steps it does not mention may come in a row. Timers are enabled nearly
// always in an untimed world: without a limit the one that was recorded to fire
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
	f := &follower{noted: noted{names: t}, ahead: lookAhead, finish: true, maxDetour: lookAhead}
	f.begin(p)
	return &Follower{f, len(rec.Choices)}, nil
}

// Followed is how many of the recorded choices the run took, and how many there
// are.
func (c *Follower) Followed() (taken, recorded int) { return c.f.followed, c.recorded }

// Pick implements sim.Chooser.
func (c *Follower) Pick(w *sim.World, enabled []sim.Action) int { return c.f.Pick(w, enabled) }

// Choose implements sim.Chooser.
func (c *Follower) Choose(w *sim.World, n int, what string) int { return c.f.Choose(w, n, what) }

// follower follows a plan and keeps the plan of what really happened.
type follower struct {
	noted
	// ahead limits how far ahead of its place the plan is picked up.
	ahead int
	// finish: when the plan is used up, or nothing in it fits, the run goes on
	// with default choices; otherwise it is cut off there.
	finish bool
	// maxDetour is how many steps in a row may be such that the plan does not
	// mention.
	maxDetour int

	plan *plan
	// next[i] is the next step with the same name as step i, head the first such
	// step that is not taken yet, by name: -1 if there is none.
	next, head []int32
	// place is one past the furthest step taken, left how many are not taken.
	place, left int
	// answers are those of the step that was taken, from where on they were not
	// given yet.
	answers  []answer
	followed int
	detour   int
}

func (c *follower) begin(p *plan) {
	c.names.begin()
	c.plan, c.place, c.left, c.followed, c.detour = p, 0, len(p.steps), 0, 0
	c.answers = p.start
	c.forget()
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
	names := c.names.of(w, enabled)
	c.growHead()
	at, best, usual := -1, int32(c.place+c.ahead), usual(enabled)
	for i, name := range names {
		if h := c.head[name]; h >= 0 && h <= best {
			at, best = i, h
		}
	}
	if at < 0 || int(best) > c.place {
		if new := c.unmentioned(names, enabled); new >= 0 {
			c.detour++
			c.answers = nil
			return c.take(names, new, usual)
		}
	}
	c.detour = 0
	c.answers = nil
	switch {
	case at >= 0:
		c.head[names[at]] = c.next[best]
		c.place = max(c.place, int(best)+1)
		c.left--
		c.followed++
		c.answers = c.plan.steps[best].answers
	case !c.finish && (c.left == 0 || len(enabled) > 1 && w.Mode() == sim.Untimed):
		return -1
	default:
		at = usual
	}
	return c.take(names, at, usual)
}

// unmentioned is a message or loop that what is left of the plan does not
// mention, -1 if there is none or a detour has gone on for too long.
func (c *follower) unmentioned(names []int32, enabled []sim.Action) int {
	if c.detour >= c.maxDetour || c.left == 0 {
		return -1
	}
	for i, name := range names {
		if c.head[name] < 0 && precedence(enabled[i].Kind) == 0 {
			return i
		}
	}
	return -1
}

func (c *follower) Choose(w *sim.World, n int, what string) int {
	a := answer{question: c.names.question(w, what), options: int32(n)}
	for i := range c.answers {
		if c.answers[i].question == a.question {
			a.value = min(c.answers[i].value, int32(n-1))
			c.answers = c.answers[i+1:]
			c.followed++
			break
		}
	}
	c.answer(a)
	return int(a.value)
}
