// Package killer has the campaigns that a mutant must be noticed by, and says whether
// it was. Only scenarios count, and what they say of themselves:
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
// Often is in so many schedules of the healthy code that none at all is no accident.
//
// It must never import package mutants: it is compiled into the binary that has the
// mutants in it.
package killer
