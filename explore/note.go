package explore

import "github.com/watchbed/watchbed/sim"

// noted is the plan of what really happened in a run.
type noted struct {
	names *names
	taken plan
}

func (n *noted) forget() {
	n.taken.start, n.taken.steps = n.taken.start[:0], n.taken.steps[:0]
}

// take notes the action that is picked, beside the default one.
func (n *noted) take(names []int32, at, usual int) int {
	k := len(n.taken.steps)
	if k < cap(n.taken.steps) {
		n.taken.steps = n.taken.steps[:k+1]
	} else {
		n.taken.steps = append(n.taken.steps, planned{})
	}
	s := &n.taken.steps[k]
	s.name, s.usual, s.answers = names[at], names[usual], s.answers[:0]
	return at
}

// answer notes an answer.
func (n *noted) answer(a answer) {
	if k := len(n.taken.steps); k > 0 {
		s := &n.taken.steps[k-1]
		s.answers = append(s.answers, a)
	} else {
		n.taken.start = append(n.taken.start, a)
	}
}

// noter notes what another chooser does.
type noter struct {
	noted
	chooser   sim.Chooser
	truncated bool
}

// note replays a recording and notes it down with these names.
func note(r *Runner, rec *Recording, t *names) (*noter, error) {
	c, err := newStrict(rec.Choices)
	if err != nil {
		return nil, err
	}
	t.begin()
	n := &noter{noted: noted{names: t}, chooser: c}
	res := r.run(n, r.steps)
	n.truncated = res.Truncated
	return n, nil
}

func (n *noter) Pick(w *sim.World, enabled []sim.Action) int {
	names := n.names.of(w, enabled)
	at := n.chooser.Pick(w, enabled)
	if at < 0 {
		return at
	}
	return n.take(names, at, usual(enabled))
}

func (n *noter) Choose(w *sim.World, options int, what string) int {
	v := n.chooser.Choose(w, options, what)
	n.answer(answer{n.names.question(w, what), int32(v), int32(options)})
	return v
}
