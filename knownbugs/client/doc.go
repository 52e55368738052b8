// Package client holds the known bugs of what stands between a cache and etcd in an
// API server, one file each: the issue, the release that fixed it, what it changes,
// and where it shows. What a bug changes is a field of the options of
// sim/client.
//
// The package must never import diagnosis, report or a command.
package client
