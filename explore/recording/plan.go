package recording

import (
	"slices"
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
