package sim

// Situation is something rare that matters, or a branch that must not stay
// untried: "victim while progress is deferred". Each world counts how often it
// came about, and a campaign reports the sum. A guarantee that was never checked
// in such a situation is none.
type Situation uint16

var situations []string

// NewSituation registers a situation; call it in package variable declarations
// only, so that the numbers are the same in every process.
func NewSituation(name string) Situation {
	for _, s := range situations {
		if s == name {
			panic("sim: situation registered twice: " + name)
		}
	}
	situations = append(situations, name)
	return Situation(len(situations) - 1)
}

// String is the situation's name.
func (s Situation) String() string { return situations[s] }

// Situations are all that this binary knows, in the order of registration.
func Situations() []Situation {
	all := make([]Situation, len(situations))
	for i := range all {
		all[i] = Situation(i)
	}
	return all
}
