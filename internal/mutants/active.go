// Package mutants is the part of module lab's mutants that a binary with mutants in it carries: which mutant
// runs, what the process may use, and what it and lab/mutants tell each other.
//
// It must never import anything of this module: the mutated sources import it, and every package may be mutated.
package mutants

import (
	"os"
	"strconv"
	"strings"
)

// Variable is the environment variable that chooses the mutant: the number of its
// function, a dot, and its own number. Unset, every function is what was written.
const Variable = "WATCHBED_MUTANT"

// Number is that of the mutant that runs, -1 if none does.
var Number = -1

// Touched is set when the statement that the mutant changes is reached.
var Touched bool

var function = -1

// entered are the functions that have begun, by their numbers.
var entered [maxFunctions]bool

// maxFunctions bounds the numbers of functions.
const maxFunctions = 4096

func init() {
	f, n, ok := strings.Cut(os.Getenv(Variable), ".")
	if !ok {
		return
	}
	var errF, errN error
	function, errF = strconv.Atoi(f)
	Number, errN = strconv.Atoi(n)
	if errF != nil || errN != nil {
		panic(Variable + ": want FUNCTION.MUTANT")
	}
}

// In notes that a function with mutants begins, and reports whether the mutant that
// runs is one of them.
func In(f int) bool {
	entered[f] = true
	return f == function
}

// Entered are the functions with mutants that have begun since the last call.
func Entered() []int {
	var all []int
	for f := range entered {
		if entered[f] {
			all = append(all, f)
		}
		entered[f] = false
	}
	return all
}

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
