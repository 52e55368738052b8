// Mutants changes the code of the module watchbed in small ways, to measure what the
// scenarios notice: a mutation score. "make mutants" starts it, -table prints the survivors. What has been
// run before is not run again. It is started in the folder lab. A change is a Mutant. All mutants that are
// chosen are compiled into one binary (mutant schemata): each changed function begins
// by asking internal/mutants which mutant runs, and has the changed body beside its own.
// So one build serves hundreds of mutants, and a mutant costs only its campaigns.
//
//	targets.go    which packages, and how many mutants of each
//	skipped.go    what is not mutated, with the reasons
//	load.go       sources with types
//	bodies.go     the functions of a package
//	conditions.go, values.go, statements.go   the operators
//	sample.go     which of all possible mutants are chosen
//	fresh.go      samples that no judge was made with, and their scores
//	schemata.go   the sources with all of them in, as an overlay for go build
//	internal/mutants, of the module watchbed   which mutant runs
//	campaigns.go, baseline.go, judge.go   the campaigns that have to notice
//	attempt.go    what the binary that is built does, one process a mutant
//	run.go, results.go, table.go   build it, run mutants, keep what came of them, and print it
//	searches.go, searched_table.go, unfound.go   the same with rows of proofs in the place of campaigns
//
// # How a mutant is noticed
//
// Campaigns run with it, and Judge compares them with those of the healthy code. Only scenarios count, and what they
// say of themselves:
//
//	violation       a claim is violated of which nothing is known (testbed.Row)
//	no violation    one that every campaign must find is not found, or not with a cause
//	                (label) with which it was found often
//	vacuous         a property that was checked often is not checked any more
//	coverage point  one that came about often does not come about any more
//	cut off         runs reach the limit of steps
//	panic           simulated code panics, or a run is not a function of its seed
//	endless         no end within the limit of processor time
//
// The few schedules of a look decide which campaigns run first: those in which the mutant makes a difference.
//
// Often is in so many schedules of the healthy code that none at all is no accident.
//
// # Why not a tool that exists
//
// gremlins v0.6.0 runs go test and nothing else, and has no mutations of one's own.
// ooze takes a test command, and go-mutesting an exec script, but both build for each
// mutant what the mutated package is imported by, which takes longer here than the
// campaigns that kill it. None of them has a budget for a mutant, goes on where it was
// interrupted, names a mutant in a way that survives an edit elsewhere in the file
// (go-mutesting's list of exceptions has checksums of whole files), or has operators
// for a dropped wake-up, the order of two statements or a field of the same type.
// ooze could be given those, but leaves no functions out.
//
// What chooses mutants reads source with go/types and runs go list, and calls nothing of
// what it mutates.
package main
