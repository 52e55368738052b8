package client

import "github.com/watchbed/watchbed/sim"

// Config is what a Client is made of.
type Config struct {
	Options
	// Etcd is the node that watches and unary requests go to, unless WatchMember
	// is another member, which watches go to.
	Etcd, WatchMember sim.NodeID
}

// DefaultConfig has the options of a release. The caller sets Etcd. It returns an
// error if OptionsOf does.
func DefaultConfig(version string) (Config, error) {
	o, err := OptionsOf(version)
	return Config{Options: o}, err
}
