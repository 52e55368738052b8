// Package story tells how a recorded run fails: the few steps that matter, and
// what was wrong.
//
// A story is made by replaying the recording strictly, with a trace as the
// observer.
//
//	story     replays, and finds the step after which the violation first shows
//	concern   what the violation is about: operations, a revision, a key
//	slice     backwards from there: the steps that led to it
//	condense  lines by how much they matter; the ones that matter little go
//	why       which client read what, and what the answer should have been
//
// The package must never write to a terminal or a page: package report does.
package story
