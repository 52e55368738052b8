// Package proofs is what `simrun prove` has shown of releases of etcd and designs of the
// cache: which promise holds in every schedule within which bounds, and the shortest
// schedule where it does not. proofs.json is the table, which simrun list proofs prints, and
// stories has some of the shortest schedules as they are told.
//
// All else is in the tests of the package: they search again and compare, and hold both
// engines to each other and what states keep of the past to whole histories. The package must
// never import anything of the module: the command line reads the table, and the tests search.
package proofs
