// Package explore (unstable) carries out runs of a simulated world and reports
// what each of them showed.
//
//	Subject   what is explored: nodes, faults, invariants, judgement
//	Runner    carries out one run after another in one world
//	Finding   what one run showed about one property
//
// The choices are the run: a Runner asks a sim.Chooser for each of them. The
// packages below this one say where choices come from and what to do with them:
//
//	explore/strategy    from a seed to choices: random, paced, pct3, pos, urw, ...
//	explore/campaign    many seeds, several workers, one result
//	explore/recording   a run as a file: record, replay, follow, shrink
//	explore/prove       every schedule within bounds, in place of a sample
//	explore/property    a subject in a Go test, also with rapid
//
// The package imports sim and model. It must never import a package below it,
// anything that knows etcd, nor testing.
package explore
