// Package knownbugs says of each bug that caches, etcd, its client library, informers
// and compactors had, or that one easily could have: the issue, the release that fixed it, what plants it, and
// where it shows. A file has those of one part. A program that imports the package, for its side effects alone,
// knows them all. The code of a bug is a value of an option in sim, or is registered here as a value of a seam.
//
// The package must never import diagnosis, report or a command.
package knownbugs
