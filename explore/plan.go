package explore

import "fmt"

// plan is a recording in the form in which it is followed and shrunk: steps,
// each with the answers that were given inside. The answers of the start, when
// no action had been picked yet, come first.
type plan struct {
	start []answer
	steps []planned
}

type planned struct {
	// name is the number of the action's name.
	name    int32
	answers []answer
	// usual is the number of the action that the default would have picked.
	usual int32
}

type answer struct {
	question       int32
	value, options int32
}

func newPlan(choices []string, t *names) (*plan, error) {
	p := &plan{}
	for i, text := range choices {
		c, err := parseChoice(text)
		if err != nil {
			return nil, fmt.Errorf("choice %d: %w", i+1, err)
		}
		number := t.numberOf([]byte(c.name))
		if !c.isAnswer() {
			p.steps = append(p.steps, planned{name: number, usual: number})
			continue
		}
		a := answer{number, int32(c.value), int32(c.options)}
		if n := len(p.steps); n > 0 {
			p.steps[n-1].answers = append(p.steps[n-1].answers, a)
		} else {
			p.start = append(p.start, a)
		}
	}
	return p, nil
}

// size is what shrinking makes smaller.
type size struct {
	// departures counts the steps that the default would not have picked.
	steps, departures, answers int
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

func (p *plan) size() size {
	s := size{steps: len(p.steps)}
	for i := range p.steps {
		if p.steps[i].name != p.steps[i].usual {
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
