// Package diagnosis (unstable) goes from what a campaign found to causes: it
// finds the distinct ways to fail, makes a small run of each, and explains that
// run.
//
//	find       the failures of a campaign, each with a small run
//	diagnosis  one of them, explained: its story, and what decides
//
// The steps have packages of their own, none of which imports this one:
//
//	trace      one run, taken down, with what its nodes hold after each step
//	slice      the steps that led to given ones
//	story      the few steps that matter, and why the outcome is wrong
//	flip       the behaviour or the fault that decides
//	turning    where the outcome was settled, if no setting decides
//	summary    what a campaign came to, and what its timed runs measured
//	matrix     designs of the cache by versions of etcd, also two of them side by side
//
// Nothing in here writes to a terminal, a page or a file: package report does,
// and imports these packages. They must never import report or a command.
package diagnosis
