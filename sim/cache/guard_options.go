package cache

import "github.com/watchbed/watchbed/sim/dimension"

// VersionCheck is what an API server does about an etcd whose progress
// notifications cannot be trusted (KEP-2340, "Bug in etcd progress
// notification").
type VersionCheck uint8

const (
	// VersionCheckNone believes every etcd.
	VersionCheckNone VersionCheck = iota
	// VersionCheckKEPBeta asks all endpoints before anything starts. Too old a
	// version turns ConsistentListFromCache off with a warning, or keeps the
	// server from starting if the gate was enabled explicitly.
	VersionCheckKEPBeta
	// VersionCheckKEPGA does the same with the gate locked to true: too old a
	// version keeps the server from starting.
	VersionCheckKEPGA
	// VersionCheckShipped asks while everything starts already, asks again until
	// each endpoint has answered, and believes nobody before the first answer
	// (k8s.io/apiserver, FeatureSupportChecker).
	VersionCheckShipped
)

// Gate is a feature gate as the command line left it.
type Gate uint8

const (
	// GateDefault: nobody said anything; the gates here are on by default.
	GateDefault Gate = iota
	GateEnabled
	GateDisabled
)

// GuardOptions are the dimensions of what keeps a cache from trusting an etcd that
// it must not trust.
type GuardOptions struct {
	VersionCheck VersionCheck
	// ConsistentListFromCache is the gate of KEP-2340. Without it etcd answers
	// the consistent lists.
	ConsistentListFromCache Gate
	// WatchList is the gate of KEP-3157. Without it sendInitialEvents is refused.
	WatchList Gate
}

var guardDimensions = dimension.Table[Options]{
	{Name: "version-check", Values: []string{"none", "kep-beta", "kep-ga", "shipped"},
		Get: func(o *Options) int { return int(o.Guard.VersionCheck) },
		Set: func(o *Options, v int) { o.Guard.VersionCheck = VersionCheck(v) }},
	{Name: "consistent-list-from-cache", Values: []string{"default", "enabled", "disabled"},
		Get: func(o *Options) int { return int(o.Guard.ConsistentListFromCache) },
		Set: func(o *Options, v int) { o.Guard.ConsistentListFromCache = Gate(v) }},
	{Name: "watch-list", Values: []string{"default", "enabled", "disabled"},
		Get: func(o *Options) int { return int(o.Guard.WatchList) },
		Set: func(o *Options, v int) { o.Guard.WatchList = Gate(v) }},
}
