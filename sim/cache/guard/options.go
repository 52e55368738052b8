package guard

import "github.com/watchbed/watchbed/sim/option"

// Options are those of the guard.
type Options struct {
	VersionCheck VersionCheck
	// ConsistentListFromCache is the gate of KEP-2340. Without it etcd answers
	// the consistent lists.
	ConsistentListFromCache Gate
	// WatchList is the gate of KEP-3157. Without it sendInitialEvents is refused.
	WatchList Gate
}

// Gate is a feature gate as the command line left it.
type Gate uint8

// Values of the options consistent-list-from-cache and watch-list.
const (
	GateDefault Gate = iota
	GateEnabled
	GateDisabled
)

// gate is the option of a feature gate.
func gate(name string, field func(*Options) *Gate, doc string) option.Option[Options] {
	return option.Choice(name, field, doc,
		option.Val("default", "the command line does not mention it: on"),
		option.Val("enabled", "on, and the command line says so"),
		option.Val("disabled", "off"))
}

// Group is the options of the guard.
var Group = option.NewGroup("cache",
	option.SeamOption(Checks, func(o *Options) *VersionCheck { return &o.VersionCheck }),
	gate("consistent-list-from-cache", func(o *Options) *Gate { return &o.ConsistentListFromCache },
		"the feature gate ConsistentListFromCache; when off, etcd answers consistent lists"),
	gate("watch-list", func(o *Options) *Gate { return &o.WatchList },
		"the feature gate WatchList; when off, sendInitialEvents is refused"),
)
