// Package report tells people what was found: the story of a run that fails, a
// summary of a campaign, and both as text, HTML, JUnit and JSON.
//
//	Tell        a recorded failing run as a story of a dozen lines
//	Summarize   a campaign: what held, what did not, what was never tried
//	WriteRunHTML, WriteHistoryHTML   pages for a browser
//
// A story is made by replaying the recording strictly and listening to what the
// nodes say of themselves (sim.Env.Note).
//
//	trace     what happened, and when the violation first showed: the run is
//	          judged again after each step of which somebody says something
//	concern   what it is about: the operations, the revision, the key
//	slice     backwards from there: who sent the message, who armed the timer or
//	          gave the loop work, what a node had taken in before that it goes by
//	condense  lines by how much they matter, the least of them left out
//	why       who read what, and what it should have been
//	flip      the single behaviour that decides: with another value of it the same
//	          choices, and other runs that fail alike, do not fail
//
// What the slice knows of a node's state it has from the notes, so a note whose
// wording changes may need slice.go and concern.go to change with it; the tests of
// this package hold the two together.
//
// The package imports scenarios and everything below. It must never import a
// command, read flags, or end the process.
package report
