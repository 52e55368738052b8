// Package proofs (unstable) is what `simrun prove` has shown of releases of etcd and designs of the
// cache: which promise holds in every schedule within which bounds, and the length of a shortest
// schedule where it does not. proofs.json is the table, which simrun list proofs prints.
//
// A row has at most one client, one write and one fault of each kind, or one thing more than a smaller row. It is in
// the table because it shows a coverage point, puts a claim to the test, or finds a mutant that no other row does.
//
// The tests of the package search again and compare, and hold both engines to each other and what states keep of the
// past to whole histories. The package must never import anything of the module: the command line reads the table, and
// the tests search.
package proofs
