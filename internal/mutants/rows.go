package mutants

// Task is what one process searches.
type Task struct {
	// Rows are the names of the rows, in this order; none are all that are small enough.
	Rows []string
	// Largest is how many states a row has at most, as it is written down.
	Largest int
	// Seconds is the processor time after which the process is ended.
	Seconds int
	// Out is the file to which a line is written when a row begins, and one when it has ended.
	Out string
}

// Outcome is what a row came to. Of a row that only began it has the name and the states.
type Outcome struct {
	Row string
	// States are those that are written down.
	States int
	Ended  bool
	// Kind is how its verdict is another one than that which is written down, What the property; both are empty
	// if it is the same. If only a coverage point is lost, it is CoveragePoint, and What its name.
	Kind, What string
	// Counts: the verdict is the same, and the number of states, transitions or steps is not.
	Counts bool
	// Entered are the functions with mutants that began, by their numbers.
	Entered []int
}

// The kinds.
const (
	// Violation: the row violates what is not violated without the mutant.
	Violation = "violation"
	// NoViolation: what is violated without the mutant is not, or not within four times the states.
	NoViolation = "no violation"
	// Vacuous: a claim is never put to the test.
	Vacuous = "vacuous"
	// CoveragePoint: one that comes about without the mutant does not.
	CoveragePoint = "coverage point"
	// Failed: the search ends with an error.
	Failed = "error"
	// Panic and Endless are seen from outside: the process has ended, or did not.
	Panic   = "panic"
	Endless = "endless"
)
