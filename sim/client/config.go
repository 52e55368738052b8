package client

import "github.com/watchbed/watchbed/sim"

// Config is what a Client is made of.
type Config struct {
	Options
	// Etcd is the member that unary requests go to.
	Etcd sim.NodeID
	// WatchEndpoints are the members that watch streams are opened to, one after the
	// other; nil is Etcd.
	WatchEndpoints []sim.NodeID
	// Storage are the caches of the process. Their Ranges are those of etcd3's store; all
	// others come from callers of the client library itself.
	Storage []sim.NodeID
}

// DefaultConfig has the options of a release. The caller sets Etcd. It returns an
// error if OptionsOf does.
func DefaultConfig(version string) (Config, error) {
	o, err := OptionsOf(version)
	return Config{Options: o}, err
}
