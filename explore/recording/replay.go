package recording

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/sim"
)

// Divergence says where a run first departs from its recording.
type Divergence struct {
	// Index is the number of the choice, from 1.
	Index int
	// Wanted is the recorded choice; it is empty if the recording ends before a
	// question that was asked. Enabled are the enabled actions, or the question; it
	// is empty if the run was over.
	Wanted  string
	Enabled []string
}

func (d *Divergence) Error() string {
	const shown = 12
	switch {
	case d.Wanted == "":
		return fmt.Sprintf("choice %d: the recording ends, but there is %q to settle", d.Index, d.Enabled[0])
	case len(d.Enabled) == 0:
		return fmt.Sprintf("choice %d: %q was recorded, but the run is over", d.Index, d.Wanted)
	}
	list := d.Enabled
	more := ""
	if len(list) > shown {
		more = fmt.Sprintf(" and %d more", len(list)-shown)
		list = list[:shown]
	}
	return fmt.Sprintf("choice %d: %q was recorded, but there is %s%s", d.Index, d.Wanted, strings.Join(quoted(list), ", "), more)
}

func quoted(list []string) []string {
	q := make([]string, len(list))
	for i, s := range list {
		q[i] = fmt.Sprintf("%q", s)
	}
	return q
}

// TraceMismatch says that every choice fits and the contents of messages differ
// from those of the recorded run.
type TraceMismatch struct {
	Recorded, Got explore.Hash
}

func (e *TraceMismatch) Error() string {
	return fmt.Sprintf("all choices fit, but messages differ: trace hash %s was recorded, this is %s", e.Recorded, e.Got)
}

// Replay carries out the recorded run again. The error is a *Divergence or a
// *TraceMismatch if it takes another course; the result is that of the run as
// far as it went.
func Replay(r *explore.Runner, rec *Recording) (explore.Result, error) {
	s, err := newStrict(rec.Choices)
	if err != nil {
		return explore.Result{}, err
	}
	res := r.Run(s)
	return res, s.replayed(res, rec)
}

// strict is a chooser that takes each recorded choice, or keeps the divergence
// where it cannot. At the end of the recording it cuts the run off, as the recorded
// run was.
type strict struct {
	choices    []choice
	used       int
	divergence *Divergence
	buf        []byte
}

// replayed says whether the run was the recorded one.
func (c *strict) replayed(res explore.Result, rec *Recording) error {
	switch {
	case c.divergence != nil:
		return c.divergence
	case c.used < len(c.choices):
		return &Divergence{Index: c.used + 1, Wanted: c.choices[c.used].String()}
	case res.TraceHash != rec.TraceHash:
		return &TraceMismatch{rec.TraceHash, res.TraceHash}
	}
	return nil
}

func newStrict(texts []string) (*strict, error) {
	choices, err := parseChoices(texts)
	if err != nil {
		return nil, err
	}
	return &strict{choices: choices}, nil
}

func (c *strict) Pick(w *sim.World, enabled []sim.Action) int {
	if c.divergence != nil || c.used == len(c.choices) {
		return -1
	}
	wanted := &c.choices[c.used]
	for i := range enabled {
		c.buf = w.AppendName(c.buf[:0], enabled[i])
		if !strings.HasPrefix(wanted.name, string(c.buf)) || wanted.isAnswer() {
			continue
		}
		if actionName(w, enabled, i) == wanted.name {
			c.used++
			return i
		}
	}
	c.divergence = &Divergence{Index: c.used + 1, Wanted: wanted.String()}
	for i := range enabled {
		c.divergence.Enabled = append(c.divergence.Enabled, actionName(w, enabled, i))
	}
	return -1
}

func (c *strict) Choose(w *sim.World, n int, what string) int {
	if c.divergence != nil {
		return 0
	}
	asked := choice{name: string(appendQuestion(nil, w, what)), options: n}
	c.divergence = &Divergence{Index: c.used + 1, Enabled: []string{fmt.Sprintf("%s of %d", asked.name, n)}}
	if c.used == len(c.choices) {
		return 0
	}
	wanted := &c.choices[c.used]
	if wanted.name != asked.name || wanted.options != n {
		c.divergence.Wanted = wanted.String()
		return 0
	}
	c.divergence = nil
	c.used++
	return wanted.value
}

// Record carries out one run and writes it down. Tool, Scenario, Parameters,
// Strategy and Seed are left to the caller.
func Record(r *explore.Runner, c sim.Chooser) (*Recording, explore.Result) {
	rec := &recorder{chooser: c}
	res := r.Run(rec)
	return rec.recording(&res), res
}

// RecordSeed writes down the run that a strategy makes of a seed. Tool, Scenario
// and Parameters are left to the caller.
func RecordSeed(r *explore.Runner, s strategy.Strategy, seed uint64) (*Recording, explore.Result) {
	c := s.For(r)
	c.Begin(seed)
	rec, res := Record(r, c)
	rec.Strategy, rec.Seed = s.Name, seed
	return rec, res
}

// recorder passes on what it is asked and keeps the choices by name.
type recorder struct {
	chooser sim.Chooser
	choices []string
}

func (c *recorder) Pick(w *sim.World, enabled []sim.Action) int {
	i := c.chooser.Pick(w, enabled)
	if i >= 0 {
		c.choices = append(c.choices, actionName(w, enabled, i))
	}
	return i
}

func (c *recorder) Choose(w *sim.World, n int, what string) int {
	v := c.chooser.Choose(w, n, what)
	a := choice{string(appendQuestion(nil, w, what)), v, n}
	c.choices = append(c.choices, a.String())
	return v
}

func (c *recorder) recording(res *explore.Result) *Recording {
	return &Recording{
		Format: formatVersion, TraceHash: res.TraceHash,
		Findings: rendered(res.Findings), Choices: c.choices,
	}
}

func rendered(findings []explore.Finding) []Finding {
	list := make([]Finding, len(findings))
	for i := range findings {
		f := &findings[i]
		list[i] = Finding{Property: f.Property, Verdict: f.Verdict.String(), Label: f.Label}
		if f.Why != nil {
			list[i].Why = f.Why.String()
		}
	}
	return list
}

// planned is the plan of the run that is under way: what was really picked and
// answered.
type planned struct {
	names *names
	plan  plan
}

// addStep adds the picked action, and the action of the default choice; both are
// indices of names. It keeps the memory of earlier runs.
func (p *planned) addStep(names []int32, picked, byDefault int) {
	k := len(p.plan.steps)
	if k < cap(p.plan.steps) {
		p.plan.steps = p.plan.steps[:k+1]
	} else {
		p.plan.steps = append(p.plan.steps, step{})
	}
	s := &p.plan.steps[k]
	s.name, s.byDefault, s.answers = names[picked], names[byDefault], s.answers[:0]
}

// planner is a chooser that passes on what it is asked and keeps the plan.
type planner struct {
	planned
	chooser sim.Chooser
}

// replayPlan replays a recording and returns its plan, with these names, and
// whether it ends before the run is over.
func replayPlan(r *explore.Runner, rec *Recording, t *names) (p plan, truncated bool, err error) {
	c, err := newStrict(rec.Choices)
	if err != nil {
		return plan{}, false, err
	}
	t.begin()
	n := &planner{planned: planned{names: t}, chooser: c}
	res := r.Run(n)
	return n.plan, res.Truncated, nil
}

func (c *planner) Pick(w *sim.World, enabled []sim.Action) int {
	names := c.names.ofActions(w, enabled)
	picked := c.chooser.Pick(w, enabled)
	if picked >= 0 {
		c.addStep(names, picked, explore.DefaultChoice(enabled))
	}
	return picked
}

func (c *planner) Choose(w *sim.World, options int, what string) int {
	v := c.chooser.Choose(w, options, what)
	c.plan.addAnswer(answer{c.names.ofQuestion(w, what), int32(v), int32(options)})
	return v
}

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

func (c *Follower) Pick(w *sim.World, enabled []sim.Action) int {
	c.passOver(c.f.answers)
	return c.f.Pick(w, enabled)
}

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
