// Package explain (unstable) says what a name means that a person meets in a list, a story or a
// replay file: a scenario, an option or a value of one, a known bug, a design of the cache, a
// release of etcd, a property, a strategy, a metric, a finding. It looks into the registries, so
// what another module registers is explained like ours.
//
//	lists.go        the kinds of names, and a list of each
//	explain.go      all explanations of one name: facts, each with a label
//	mention.go      what speaks of a word that is no name
//	text.go         how it is printed
//	release.go      releases of etcd, and for which of them something holds, in words
//	unlike.go       which scenarios tell two values of an option apart
//	presets.go      which releases, designs, bugs and scenarios set a value
//	kinds.go        properties, violations, strategies, metrics, findings, designs, options and their values
//
// Scenarios, bugs, and releases of etcd and Kubernetes have files of their own.
//
// The package must never import package command, or read flags.
package explain
