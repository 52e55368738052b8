// Package compare runs the whole catalogue of scenarios on a side, which is a design of
// the cache, a version of etcd or other settings on top of each scenario's parameters, and
// says what differs between two sides, or between one side and what is known.
//
//	side         what a side changes
//	catalogue    what all scenarios came to on one side
//	explore      the campaigns
//	file         a catalogue as a file: a baseline for later
//	differ       two sides: verdicts, frequencies, ways to fail
//	stories      what happens in the stories of a way to fail, and where two sides differ
//	costs        two sides: what LISTs cost
//	asknown      one side and what is known of it
//
// What was not run, cut off or never checked is unknown, and never counts as alike.
//
// The package must never print anything.
package compare
