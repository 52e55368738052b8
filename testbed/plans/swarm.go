package plans

import (
	"slices"
)

// swarm is the features that a client uses in a run: a random half of all that there
// are. A client that uses all of them in each run gets to fewer states: one feature
// keeps another from what it can do (Groce et al., Swarm Testing, ISSTA 2012). They are
// choices of the run, unless a seed gives them, and choice 0 is to do without.
type swarm struct {
	env  source
	uses uint64
}

// feature is an option of a request, or a kind of request, that a client may do
// without.
type feature uint8

// optional is a feature that clients have only if their options say so.
type optional struct {
	feature feature
	has     bool
}

// without leaves out the features that clients do not have.
func without(names []string, some ...optional) []string {
	left := slices.Clone(names)
	for _, o := range some {
		if !o.has {
			left[o.feature] = ""
		}
	}
	return left
}

// drawSwarm draws the features; names are those of all that there are, empty for what no
// client does.
func drawSwarm(env source, names []string) *swarm {
	s := &swarm{env: env}
	for f, name := range names {
		if name == "" {
			continue
		}
		s.uses |= uint64(env.Choose(2, "use "+name)) << f
	}
	return s
}

func (s *swarm) has(f feature) bool { return s.uses>>f&1 != 0 }

// draw picks one of so many values of a feature's option. It is 0 in a run that does
// without the feature.
func (s *swarm) draw(f feature, values int, what string) int {
	if !s.has(f) {
		return 0
	}
	return s.env.Choose(values, what)
}

// flip is draw for a switch.
func (s *swarm) flip(f feature, what string) bool { return s.draw(f, 2, what) == 1 }

// leave does without a feature from now on.
func (s *swarm) leave(f feature) { s.uses &^= 1 << f }
