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
			// It answers every read itself, also of what its history has.
			Settings: option.Settings("ring=2048", "fresh-duration=1ms", "relist-delay=50ms", "get-unset=cache", "snapshots=on", "watch-prev-kv=unasked",
				"library-progress=later", "library-store=ended"),
		},
		New:        func(c cache.Config) sim.Node { return New(c) },
		Rests:      true,
		Unlisted:   true,
		SpeaksEtcd: true,
		Refuses:    refuses,
		// They are about the parts of a cacher, the client library and the watches of an API server, and its start.
		Lacks: []string{
			"nothing-left", "timers-owned", "cache-resumes", "backlog-bounded", "no-compacted-watches", "starts-as-checked",
			"client-bounded", "reopens-in-time", "range-streams",
		},
		Reads: []string{
			"ring", "watch-buf", "block-timeout", "progress-period", "relist-delay",
			"library-progress", "library-store", "library-watchers", "library-mistake",
		},
	})
}
