package sim

// Chooser decides what happens. It is the whole interface between the simulation
// and the package that explores it.
type Chooser interface {
	// Pick returns the index of the enabled action that happens next. enabled
	// is never empty and is valid during the call only.
	Pick(w *World, enabled []Action) int
	// Choose settles what the original leaves open inside a step (a random
	// select, a random subset, jitter, the phase of a ticker). It returns a
	// number in [0, n), n >= 2. what names the question.
	Choose(w *World, n int, what string) int
}
