package guard

import "github.com/watchbed/watchbed/sim/option"

// Options are those of the guard.
type Options struct {
	VersionCheck VersionCheck
	// ConsistentListFromCache is the gate of KEP-2340. Without it etcd answers
	// the consistent lists.
	ConsistentListFromCache Gate
	// WatchList is the gate of KEP-3157. Without it sendInitialEvents is refused.
	// No check of etcd's version asks whether the command line says that it is on.
	WatchList WatchList
}

// Gate is a feature gate as the command line left it.
type Gate uint8

// WatchList is the gate WatchList.
type WatchList uint8

// Values of the option watch-list.
const (
	WatchListOn WatchList = iota
	WatchListOff
)

// Values of the option consistent-list-from-cache.
const (
	GateDefault Gate = iota
	GateEnabled
	GateDisabled
)

// Group is the options of the guard.
var Group = option.NewGroup("cache",
	option.SeamOption(Checks, func(o *Options) *VersionCheck { return &o.VersionCheck }),
	option.Choice("consistent-list-from-cache", func(o *Options) *Gate { return &o.ConsistentListFromCache },
		"the feature gate ConsistentListFromCache; when off, etcd answers consistent lists",
		option.Val("default", "the command line does not mention it: on"),
		option.Val("enabled", "on, and the command line says so"),
		option.Val("disabled", "off")),
	option.Choice("watch-list", func(o *Options) *WatchList { return &o.WatchList },
		"the feature gate WatchList; when off, sendInitialEvents is refused",
		option.Val("default", "on"), option.Val("disabled", "off")),
)
