package recording

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// passes repeats the passes until none of them makes the run smaller, and reports
// whether it got that far.
func (s *shrinker) passes() bool {
	for {
		before := s.size
		s.cutTail()
		s.delayEvents()
		s.dropChunks()
		s.lowerAnswers()
		s.straighten()
		if !s.going() {
			return false
		}
		if s.timed() {
			if s.size.steps == before.steps && s.size.departures == before.departures {
				// Another round would only lower a few answers further.
				return true
			}
			continue
		}
		if s.size == before && !s.postpone() {
			return s.going()
		}
	}
}

// timed: the order of events follows from the answers.
func (s *shrinker) timed() bool { return s.runner.World().Mode() == sim.Timed }

// cutTail looks for the earliest step at which the violation shows.
func (s *shrinker) cutTail() {
	low := 0
	for low < len(s.best.steps) && s.going() {
		middle := (low + len(s.best.steps)) / 2
		p := s.best
		p.steps = p.steps[:middle]
		if !s.try(&p) {
			low = middle + 1
		}
	}
}

// dropChunks takes away neighbouring steps, from the end, in ever smaller
// chunks.
func (s *shrinker) dropChunks() {
	var p plan
	for size := len(s.best.steps) / 2; size >= 1; size /= 2 {
		for end := len(s.best.steps); end > 0 && s.going(); {
			start := max(0, end-size)
			p.start = s.best.start
			p.steps = append(append(p.steps[:0], s.best.steps[:start]...), s.best.steps[end:]...)
			s.try(&p)
			end = min(start, len(s.best.steps))
		}
	}
}

// delayEvents gives neighbouring questions their last answer, in ever smaller chunks, in
// timed runs. There no event can be left out, but an event that does not matter may come
// so late that it is cut off.
//
// A candidate is cut off one step earlier than the best run. Otherwise some event of no
// interest takes the place of the late event, and the candidate is as long as
// the best run.
func (s *shrinker) delayEvents() {
	if !s.timed() {
		return
	}
	for size := s.best.answers() / 2; size >= 1; size /= 2 {
		for end := s.best.answers(); end > 0 && s.going(); {
			start := max(0, end-size)
			p := s.best.clone()
			if p.raise(start, end) && s.tryWithin(&p, len(s.best.steps)-1) {
				s.cutOff()
			}
			end = min(start, s.best.answers())
		}
	}
}

// cutOff takes steps from the end in ever larger strides, while the violation still shows.
func (s *shrinker) cutOff() {
	for stride := 1; stride < len(s.best.steps) && s.tryWithin(&s.best, len(s.best.steps)-stride); stride *= 2 {
	}
}

// lowerAnswers tries the first option for all questions at once, then for each
// one, and then ever higher options for the questions that need one.
func (s *shrinker) lowerAnswers() {
	p := s.best.clone()
	for _, list := range p.lists() {
		for i := range list {
			list[i].value = 0
		}
	}
	if s.try(&p) {
		return
	}
	for i := 0; i < len(s.best.lists()); i++ {
		for j := 0; i < len(s.best.lists()) && j < len(s.best.lists()[i]); j++ {
			for value := int32(0); s.going(); {
				lists := s.best.lists()
				if i >= len(lists) || j >= len(lists[i]) || lists[i][j].value <= value {
					break
				}
				p := s.best.clone()
				p.lists()[i][j].value = value
				if s.try(&p) {
					continue
				}
				// No option up to value will do: go half of the way up.
				value += max(1, (lists[i][j].value-value)/2)
			}
		}
	}
}

// straighten brings forward the steps that the default choice would have taken
// first, which undoes interleavings that do not matter.
func (s *shrinker) straighten() {
	for i := 0; i < len(s.best.steps) && s.going(); i++ {
		steps := s.best.steps
		if steps[i].name == steps[i].byDefault {
			continue
		}
		for j := i + 1; j < len(steps); j++ {
			if steps[j].name != steps[i].byDefault {
				continue
			}
			p := plan{start: s.best.start, steps: slices.Clone(steps)}
			moved := p.steps[j]
			copy(p.steps[i+1:j+1], p.steps[i:j])
			p.steps[i] = moved
			s.try(&p)
			break
		}
	}
}

// postpone takes a step out and puts it at the end of a shorter run: a step may
// be needed, but later than it comes now. It tries the shortest runs first and
// reports whether one will do. The number of candidates grows with the square of
// the length, so it is the last resort.
func (s *shrinker) postpone() bool {
	if s.over {
		return false
	}
	steps := s.best.steps
	var p plan
	p.start = s.best.start
	for end := 2; end <= len(steps); end++ {
		for i := range steps[:end-1] {
			p.steps = append(append(p.steps[:0], steps[:i]...), steps[i+1:end]...)
			p.steps = append(p.steps, steps[i])
			if s.try(&p) {
				return true
			}
			if !s.going() {
				return false
			}
		}
	}
	return false
}
