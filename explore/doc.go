// Package explore decides what happens in a simulated world, and keeps what it
// learned: who chooses the next step, campaigns over many seeds, recordings,
// replay and shrinking.
//
// The choices are the run. A seed with a strategy is one way to make the list
// of choices; a recording, a mutation of one or a value drawn by a property
// test are others. Everything here works on that list and knows nothing about
// what a message says.
//
//	Subject     what is explored: nodes, invariants, judgement
//	Runner      one run after another in one world
//	Strategy    seeds to choices: random, paced, pct3, pos, urw, weights, delay5, portfolio
//	Explore     a campaign: many seeds, several workers, one result
//	Recording   a run as a file, its choices by name
//	Replay      the same run to the bit, or where it first differs
//	Follower    a recording through changed code, as far as it fits
//	Shrink      a smaller run that fails the same way
//
// Campaigns have workers and a wall clock. The choosers do not: what a strategy
// does is a function of the seed and of trial runs that are the same for every
// seed, so that a seed gives the same run alone and in any campaign, on every
// machine.
//
// The package imports sim and model. It must never import scenarios or anything
// that knows etcd, nor testing or rapid: the bridge to those is explore/property.
package explore
