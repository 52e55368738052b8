// Package informer holds the known bugs of clients that follow a resource, client-go's
// reflectors and those of other languages: the issue, the release that fixed it, what it
// changes, and where it shows. What a bug changes is a field of Deviations
// of sim/informer.
//
// The package must never import diagnosis, report or a command.
package informer
