package main

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/follower"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// A cache that lists once, watches, and answers every LIST at
// once from what it has: it never waits until it is as new as etcd.
func init() {
	cache.RegisterDesign(cache.Design{
		Preset: option.Preset{Name: "naive", Doc: "lists once, watches, and never waits"},
		New:    func(c cache.Config) sim.Node { return follower.New(c, answer) },
	})
}

func answer(f *follower.Follower, _ *sim.Env, l *wire.ListRequest) sim.Payload {
	return f.Contents(l.Prefix)
}
