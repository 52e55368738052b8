// Package scenarios is the catalogue: which clients write and read, on which etcd,
// through which cache, what may break, what must hold, and what is known to
// happen. A file holds one scenario or a few that belong together.
//
// A scenario is registered where it is declared (testbed.RegisterScenario), as one
// of your own module would be; catalogue.go has the order of the list. What several
// of them expect is in expected.go and releases.go; Outcome compares what a
// campaign found with what they expect.
//
// The package must never import knownbugs, diagnosis, report or a command.
package scenarios
