// Package explain says what a name means that a person meets in a list, a story or a
// replay file: a scenario, an option or a value of one, a known bug, a design of the
// cache, a release of etcd, a property, a strategy, a metric, a finding. It looks into the
// registries, so what another module registers is explained like ours.
//
//	lists.go        the kinds of names, and a list of each
//	explain.go      all explanations of one name
//	mention.go      what speaks of a word that is no name
//	explanation.go  an explanation: facts, each with a label
//	text.go         how it is printed
//	releases.go     which releases of etcd something holds for, in words
//	unlike.go       which scenarios tell two values of an option apart
//	presets.go      which releases, designs, bugs and scenarios set a value
//
// Each other file explains one kind of name.
//
// The package must never import package command, or read flags.
package explain
