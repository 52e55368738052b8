package recording

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// plan is a recording in the form in which it is followed and shrunk: steps,
// each with the answers that were given inside. The answers of the start, when
// no action had been picked yet, come first.
type plan struct {
	start []answer
	steps []step
	// inTurn are the first step of the run, and the one behind the last, that are those of the default choice.
	inTurn [2]int
}

// step is one picked action.
type step struct {
	// name is the number of the action's name.
	name    int32
	answers []answer
	// byDefault is the number of the name of the action that the default choice
	// would have picked.
	byDefault int32
}

// answer is one choice inside a step; question is the number of its name.
type answer struct {
	question       int32
	value, options int32
}

func newPlan(texts []string, t *names) (*plan, error) {
	choices, err := parseChoices(texts)
	if err != nil {
		return nil, err
	}
	p := &plan{}
	for i := range choices {
		c := &choices[i]
		number := t.number([]byte(c.name))
		if c.isAnswer() {
			p.addAnswer(answer{number, int32(c.value), int32(c.options)})
		} else {
			p.steps = append(p.steps, step{name: number, byDefault: number})
		}
	}
	return p, nil
}

// addAnswer adds an answer to the last step, or to the start if there is none.
func (p *plan) addAnswer(a answer) {
	if n := len(p.steps); n > 0 {
		p.steps[n-1].answers = append(p.steps[n-1].answers, a)
	} else {
		p.start = append(p.start, a)
	}
}

// lists are all lists of answers.
func (p *plan) lists() [][]answer {
	lists := make([][]answer, 0, len(p.steps)+1)
	lists = append(lists, p.start)
	for i := range p.steps {
		if len(p.steps[i].answers) > 0 {
			lists = append(lists, p.steps[i].answers)
		}
	}
	return lists
}

// answers is how many there are.
func (p *plan) answers() int {
	n := len(p.start)
	for i := range p.steps {
		n += len(p.steps[i].answers)
	}
	return n
}

// raise gives the questions from one place to another, as counted through all lists, their
// last answer, and reports whether any had another one.
func (p *plan) raise(start, end int) (raised bool) {
	at := 0
	for _, list := range p.lists() {
		for i := max(0, start-at); i < min(len(list), end-at); i++ {
			if last := list[i].options - 1; list[i].value < last {
				list[i].value, raised = last, true
			}
		}
		at += len(list)
	}
	return raised
}

// clone shares no memory with the plan.
func (p *plan) clone() plan {
	c := plan{start: slices.Clone(p.start), steps: slices.Clone(p.steps)}
	for i := range c.steps {
		c.steps[i].answers = slices.Clone(c.steps[i].answers)
	}
	return c
}

// size is what shrinking makes smaller.
type size struct {
	steps int
	// departures counts the steps that the default choice would not have picked.
	departures int
	// answers is the sum of the values of all answers.
	answers int
}

func (p *plan) size() size {
	s := size{steps: len(p.steps)}
	for i := range p.steps {
		if p.steps[i].name != p.steps[i].byDefault {
			s.departures++
		}
	}
	for _, list := range p.lists() {
		for _, a := range list {
			s.answers += int(a.value)
		}
	}
	return s
}

// shorter: fewer steps first, then fewer departures, then smaller answers.
func (s size) shorter(t size) bool {
	if s.steps != t.steps {
		return s.steps < t.steps
	}
	return s.departures < t.departures ||
		s.departures == t.departures && s.answers < t.answers
}

// plainer: fewer departures first. It is for runs that are carried on to their
// end anyway.
func (s size) plainer(t size) bool {
	if s.departures != t.departures {
		return s.departures < t.departures
	}
	return s.shorter(t)
}

// names numbers the names of actions and questions, so that thousands of runs
// can be compared by name without rendering each name in each of them. One
// table serves many runs of one runner.
type names struct {
	// coarse names leave out running numbers: see coarsen.
	coarse  bool
	numbers map[string]int32
	texts   []string
	// twinOf is the number of the name that a twin shares, by number.
	twinOf map[int32]int32
	// pending is, by slot, the number of the event that was last seen there.
	pending []namedEvent
	// lastPick is, by number, when a name was last seen among the enabled ones.
	lastPick []uint32
	pick     uint32
	enabled  []int32
	buf      []byte
}

type namedEvent struct {
	number int32
	// since is when the event became possible, plus 1; 0 if there is none.
	since uint32
}

func newNames() *names { return &names{numbers: map[string]int32{}, twinOf: map[int32]int32{}} }

// begin starts a run.
func (t *names) begin() { clear(t.pending) }

func (t *names) number(name []byte) int32 {
	if n, ok := t.numbers[string(name)]; ok {
		return n
	}
	n := int32(len(t.texts))
	text := string(name)
	t.numbers[text] = n
	t.texts = append(t.texts, text)
	t.lastPick = append(t.lastPick, 0)
	return n
}

// ofActions returns the numbers of the enabled actions, no two of them equal. The
// slice is valid until the next call.
func (t *names) ofActions(w *sim.World, enabled []sim.Action) []int32 {
	t.pick++
	t.enabled = t.enabled[:0]
	for i := range enabled {
		a := &enabled[i]
		for int(a.Slot) >= len(t.pending) {
			t.pending = append(t.pending, namedEvent{})
		}
		e := &t.pending[a.Slot]
		if e.since != a.Since+1 {
			t.buf = w.AppendName(t.buf[:0], *a)
			if t.coarse {
				t.buf = coarsen(t.buf)
			}
			*e = namedEvent{t.number(t.buf), a.Since + 1}
		}
		number := e.number
		if t.lastPick[number] == t.pick {
			number = t.ofTwin(w, enabled, i, number)
		}
		t.lastPick[number] = t.pick
		t.enabled = append(t.enabled, number)
	}
	return t.enabled
}

// ofTwin is for a name that another enabled action has too.
func (t *names) ofTwin(w *sim.World, enabled []sim.Action, i int, number int32) int32 {
	if !t.coarse {
		return t.number([]byte(actionName(w, enabled, i)))
	}
	n := 1
	for _, other := range t.enabled {
		if other == number || t.twinOf[other] == number {
			n++
		}
	}
	twin := t.number([]byte(twinName(t.texts[number], n)))
	t.twinOf[twin] = number
	return twin
}

// ofQuestion returns the number of a question.
func (t *names) ofQuestion(w *sim.World, what string) int32 {
	t.buf = appendQuestion(t.buf[:0], w, what)
	return t.number(t.buf)
}

// coarsen takes the numbers of operations, messages, streams and revisions out
// of a name, in place, and leaves those of nodes: "deliver b>a b/put.3#1" is then
// "deliver b>a b/put". When a step is taken out of a run, the numbers in the names
// of later steps change, although the steps mean the same as before.
func coarsen(name []byte) []byte {
	out := name[:0]
	for i := 0; i < len(name); i++ {
		c := name[i]
		beforeNumber := c == '.' || c == '#' || c == ' ' || c == '='
		if !beforeNumber || i+1 == len(name) || name[i+1] < '0' || name[i+1] > '9' {
			out = append(out, c)
			continue
		}
		for i+1 < len(name) && name[i+1] >= '0' && name[i+1] <= '9' {
			i++
		}
	}
	return out
}
