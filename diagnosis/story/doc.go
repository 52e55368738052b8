// Package story (unstable) tells how a recorded run fails: the few steps that matter, and what was
// wrong.
//
// A story is made by replaying the recording strictly, with a trace as the
// observer.
//
//	story     replays, and finds the step after which the violation first shows
//	about     what the violation is about: operations, a revision, a key
//	focus     what a slice (trace.Slicer) has to follow, given that
//	condense  a line for each note of the slice, the ones that matter little left out
//	why       which client read what, and what the answer should have been
//	happening what steps have in common, and where a node stands between the clients and etcd
//
// What the steps say is taken as values (sim.Note, sim.Subject, explore.Concern,
// linearizability.Explanation): the package never reads their text, so a sentence
// can change without it.
//
// The package must never write to a terminal or a page: package report does.
package story
