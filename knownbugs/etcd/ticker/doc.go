// Package ticker holds the known bugs of the ticker with which etcd sends progress to watches
// that ask for it, one file each. No release has them: each is a value of the option
// elided-ticks.
//
// The package must never import diagnosis, report or a command.
package ticker
