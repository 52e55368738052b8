package cache

import "github.com/watchbed/watchbed/sim/option"

// GuardOptions are the options that keep a cache from trusting an etcd that it
// must not trust.
type GuardOptions struct {
	VersionCheck VersionCheck
	// ConsistentListFromCache is the gate of KEP-2340. Without it etcd answers
	// the consistent lists.
	ConsistentListFromCache Gate
	// WatchList is the gate of KEP-3157. Without it sendInitialEvents is refused.
	WatchList Gate
}

// VersionCheck is what an API server does about an etcd whose progress
// notifications cannot be trusted (KEP-2340, "Bug in etcd progress
// notification").
type VersionCheck uint8

// Values of the option version-check.
const (
	VersionCheckNone VersionCheck = iota
	VersionCheckKEPBeta
	VersionCheckKEPGA
	VersionCheckShipped
)

// Gate is a feature gate as the command line left it.
type Gate uint8

// Values of the options consistent-list-from-cache and watch-list.
const (
	GateDefault Gate = iota
	GateEnabled
	GateDisabled
)

// gate are the values of a feature gate.
func gate(name string, field func(*Options) *Gate, doc string) option.Option[Options] {
	return option.Choice(name, field, doc,
		option.Val("default", "the command line does not mention it: on"),
		option.Val("enabled", "on, and the command line says so"),
		option.Val("disabled", "off"))
}

var guardOptions = option.NewGroup("cache",
	option.Choice("version-check", func(o *Options) *VersionCheck { return &o.Guard.VersionCheck },
		"what an API server does about an etcd whose progress notifications cannot be trusted",
		option.Val("none", "it trusts every etcd"),
		option.Val("kep-beta", "it asks all endpoints before it starts; an old one turns ConsistentListFromCache off with a warning, or prevents the start if the gate was enabled explicitly (KEP-2340, Beta)"),
		option.Val("kep-ga", "it asks all endpoints before it starts; an old one prevents the start (KEP-2340, GA)"),
		option.Val("shipped", "it asks while it starts, asks again until each endpoint has answered, and trusts no etcd before the first answer (FeatureSupportChecker)")),
	gate("consistent-list-from-cache", func(o *Options) *Gate { return &o.Guard.ConsistentListFromCache },
		"the feature gate ConsistentListFromCache; when off, etcd answers consistent lists"),
	gate("watch-list", func(o *Options) *Gate { return &o.Guard.WatchList },
		"the feature gate WatchList; when off, sendInitialEvents is refused"),
)
