// Package compactor holds the known bugs of the API servers that compact etcd: the issue,
// the release that fixed it, what it changes, and where it shows. What a bug changes is a field
// of Rules of sim/compactor.
//
// The package must never import diagnosis, report or a command.
package compactor
