package recording

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
