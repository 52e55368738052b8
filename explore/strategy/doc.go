// Package strategy (unstable) makes choices from seeds: which enabled action is next, and which
// answer a question inside a step gets.
//
// A strategy is a file, which registers it. One from another module does the same:
//
//	var _ = strategy.Register(strategy.Strategy{Name: "mine", Summary: "...", New: newMine})
//
// The comment on top of its file names the paper that a strategy comes from, and
// the deviations from it. Each has a blind spot; "portfolio", the default, hides
// the blind spot of one behind the others.
//
// What a strategy does is a function of the seed and of the subject's profile,
// which comes from trial runs that are the same for every seed. So a seed gives the
// same run alone and in any campaign, on every machine.
//
// The package imports sim and explore. It must never import anything that knows
// etcd, nor have a goroutine or a clock.
package strategy
