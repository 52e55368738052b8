package client

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/client/clientv3"
	"github.com/watchbed/watchbed/sim/client/etcd3"
	"github.com/watchbed/watchbed/sim/option"
)

// Options are everything about a client that can be set by name. The zero value is
// the newest release with its own amounts.
type Options struct {
	Library clientv3.Options
	Watcher etcd3.Options
}

func library(o *Options) *clientv3.Options { return &o.Library }
func watcher(o *Options) *etcd3.Options    { return &o.Watcher }

// Choices are the options in which releases differ, and those of planted bugs.
var Choices = option.Join(option.Lift(clientv3.Choices, library), option.Lift(etcd3.Choices, watcher))

// Group is all options of a client.
var Group = option.Join(option.Lift(clientv3.Group, library), option.Lift(etcd3.Group, watcher))

// OptionsOf are the options of an API server that was built with a release of
// clientv3, "3.5.13". The watcher is the present one, with the gates of the first Kubernetes
// that is built with that branch. It returns an error if clientv3.Release does.
func OptionsOf(version string) (Options, error) {
	var o Options
	p, err := clientv3.Release(version)
	if err != nil {
		return o, err
	}
	p.Settings = append(p.Settings[:len(p.Settings):len(p.Settings)], etcd3.GatesOf(version)...)
	return o, Group.Apply(&o, &p)
}

// Config is what a Client is made of.
type Config struct {
	Options
	// Etcd is the member that unary requests go to.
	Etcd sim.NodeID
	// WatchEndpoints are the members that watch streams are opened to, one after the
	// other; nil is Etcd.
	WatchEndpoints []sim.NodeID
	// CallsTakeTurns: unary requests go to them, too.
	CallsTakeTurns bool
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
