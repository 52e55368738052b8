package etcdcache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/option"
)

func init() {
	cache.RegisterDesign(cache.Design{
		Preset: option.Preset{
			Name: "etcd-cache", Doc: "etcd's own cache library, go.etcd.io/etcd/cache, before 3.8: no version check",
			Settings: option.Settings("ring=2048", "relist-delay=50ms"),
		},
		New:      func(c cache.Config) sim.Node { return New(c) },
		Rests:    true,
		Unlisted: true,
		Reads: []string{
			"ring", "watch-buf", "block-timeout", "progress-period", "relist-delay",
			"library-progress", "library-store", "library-watchers", "library-mistake",
		},
	})
}
