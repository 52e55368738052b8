package cache

import "github.com/watchbed/watchbed/sim/option"

// ReflectorList says how the cache itself gets its contents.
type ReflectorList uint8

// Values of the option reflector-list.
const (
	ReflectorPages ReflectorList = iota
	ReflectorWatchList
)

var reflectorOptions = option.NewGroup("cache",
	option.Choice("reflector-list", func(o *Options) *ReflectorList { return &o.ReflectorList },
		"how the cache gets its contents",
		option.Val("list", "it lists in etcd, page by page, and then watches"),
		option.Val("watch-list", "it watches with initial events, and lists if that fails (default since Kubernetes 1.35)")),
)
