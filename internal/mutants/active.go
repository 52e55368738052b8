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
