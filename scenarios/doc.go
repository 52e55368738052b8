// Package scenarios is the catalogue: which clients write and read, on which etcd,
// through which cache, what may break, what must hold, and what is known to
// happen. A file holds one scenario or a few that belong together.
//
// A scenario is registered where it is declared (testbed.RegisterScenario), as one
// of your own module would be; catalogue.go has the order of the list. What is known
// to be violated, with which versions and designs, stands beside the claims, as rows
// made with package known.
//
// The package must never import knownbugs, diagnosis, report or a command.
package scenarios
