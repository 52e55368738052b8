// Package client holds the known bugs of what stands between a cache and etcd in an
// API server, one file each: the issue, the release that fixed it, what it changes,
// and where it shows. Code of a bug that no release has any more is registered as a
// value of a seam of sim/client.
//
// The package must never import diagnosis, report or a command.
package client
