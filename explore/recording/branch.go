package recording

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

// Branch is a chooser for one run that takes the first choices of a recording and
// leaves all others to another chooser.
type Branch struct {
	recorded *strict
	choices  int
	then     sim.Chooser
	// asked is called with each choice that is the recording's, before it is taken.
	asked func(w *sim.World, at int, options []string)
}

// NewBranch takes so many choices of the recording. The error says that a choice is
// not well-formed.
func NewBranch(rec *Recording, choices int, then sim.Chooser) (*Branch, error) {
	s, err := newStrict(rec.Choices[:choices])
	if err != nil {
		return nil, err
	}
	return &Branch{recorded: s, choices: choices, then: then}, nil
}

func (b *Branch) Pick(w *sim.World, enabled []sim.Action) int {
	if b.left() {
		return b.then.Pick(w, enabled)
	}
	if b.asked != nil {
		options := make([]string, len(enabled))
		for i := range enabled {
			options[i] = actionName(w, enabled, i)
		}
		b.asked(w, b.recorded.used, options)
	}
	return b.recorded.Pick(w, enabled)
}

func (b *Branch) Choose(w *sim.World, n int, what string) int {
	if b.left() {
		return b.then.Choose(w, n, what)
	}
	if b.asked != nil {
		options := make([]string, n)
		for v := range n {
			c := choice{string(appendQuestion(nil, w, what)), v, n}
			options[v] = c.String()
		}
		b.asked(w, b.recorded.used, options)
	}
	return b.recorded.Choose(w, n, what)
}

func (b *Branch) left() bool { return b.recorded.used == b.choices || b.recorded.divergence != nil }

// Fork is a choice of a recorded run at which it could have taken another course.
type Fork struct {
	// At is the index of the choice, Step the number of the step at which it was
	// made, as the world counts.
	At, Step int
	// Taken is what was chosen, Others is what else could have been: actions, or the
	// answers to a question, as a recording has them.
	Taken  string
	Others []string
}

// Forks replays a recording and lists its forks.
func Forks(r *explore.Runner, rec *Recording) ([]Fork, error) {
	b, err := NewBranch(rec, len(rec.Choices), CutOff{})
	if err != nil {
		return nil, err
	}
	var forks []Fork
	b.asked = func(w *sim.World, at int, options []string) {
		f := Fork{At: at, Step: w.Steps(), Taken: rec.Choices[at]}
		if !b.recorded.choices[at].isAnswer() {
			f.Step++
		}
		for _, o := range options {
			if o != f.Taken {
				f.Others = append(f.Others, o)
			}
		}
		if len(f.Others) > 0 {
			forks = append(forks, f)
		}
	}
	r.Run(b)
	return forks, nil
}

// CutOff ends a run.
type CutOff struct{}

func (CutOff) Pick(*sim.World, []sim.Action) int  { return -1 }
func (CutOff) Choose(*sim.World, int, string) int { return 0 }

// NewDetour takes another course at a fork, and follows the rest of the recording as
// far as it fits then.
func NewDetour(rec *Recording, at Fork, other string) (*Branch, error) {
	rest := rec.Choices[at.At:]
	if c, err := parseChoice(other); err == nil && c.isAnswer() {
		rest = rest[1:]
	}
	f, err := NewFollower(&Recording{Choices: append([]string{other}, rest...)})
	if err != nil {
		return nil, err
	}
	return NewBranch(rec, at.At, f)
}
