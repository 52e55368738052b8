// Package read holds the known bugs of how a cache answers LIST and GET, one file
// each: the issue, the release that fixed it, what it changes, and where it shows.
// What it changes is registered as a value of a seam of sim/cache.
//
// The package must never import diagnosis, report or a command.
package read
