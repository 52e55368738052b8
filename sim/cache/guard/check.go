package guard

import (
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/release"
)

// VersionCheck chooses a Check.
type VersionCheck uint8

// Check is how an API server finds out what etcd it is. The zero value asks no endpoint, and trusts every etcd.
type Check struct {
	Asks Asks
	// Needs are the first releases whose progress notifications are trusted.
	Needs Releases
	// Locked: the gate ConsistentListFromCache is locked to true (GA).
	Locked bool
}

// Asks is when endpoints are asked for their versions.
type Asks uint8

const (
	Never Asks = iota
	// BeforeStart: the API server serves when all endpoints have answered, or did not in time.
	BeforeStart
	// WhileStarting: it asks each endpoint until that answers, and serves meanwhile.
	WhileStarting
	// Periodically: it does so, and asks each endpoint again some time after its answer.
	Periodically
	// EachStream: it asks the member that a stream leads to, whenever the watch is created on one ("when client
	// connections to etcd servers are established", the first draft of KEP-2340). Until the member has answered,
	// progress that the stream brings is dropped: a member that was replaced by an older one has ended all streams, so
	// none of its progress is ever believed.
	EachStream
)

// Releases are the first ones on the 3.4 branch, and on the 3.5 branch and everything after it.
type Releases struct{ In34, In35 release.Version }

// The KEP asks for the fix of etcd-io/etcd#15220 and nothing else. What was
// shipped asks for that of etcd-io/etcd#17507 as well
// (kubernetes/kubernetes#123192).
var (
	fixedOvertaking = Releases{release.Must("3.4.25"), release.Must("3.5.8")}
	fixedDeferring  = Releases{release.Must("3.4.31"), release.Must("3.5.13")}
	first35         = release.Must("3.5.0")
)

// Passes reports whether an endpoint of this version is new enough. It compares as upstream does, so that 3.5.0-rc.1,
// which comes before 3.5.0 and after every 3.4, counts as fixed.
func (c Check) Passes(v release.Version) bool {
	return c.Asks == Never || !v.Before(c.Needs.In34) && (v.Before(first35) || !v.Before(c.Needs.In35))
}

// Checks are the ways to check etcd's version.
var Checks = option.NewSeam[VersionCheck, Check]("version-check",
	"what an API server does about an etcd whose progress notifications cannot be trusted").
	Shipped("none",
		"it trusts every etcd", Check{}).Off(VersionCheckNone)

// VersionCheckNone is the default.
const VersionCheckNone VersionCheck = 0

// The other values of the option version-check.
var (
	VersionCheckKEPBeta = Checks.Register("kep-beta",
		"it asks all endpoints before it starts; an old one turns ConsistentListFromCache off with a warning, or prevents the start if the gate was enabled explicitly (KEP-2340, Beta)",
		Check{Asks: BeforeStart, Needs: fixedOvertaking})
	VersionCheckKEPGA = Checks.Register("kep-ga",
		"it asks all endpoints before it starts; an old one prevents the start (KEP-2340, GA)",
		Check{Asks: BeforeStart, Needs: fixedOvertaking, Locked: true})
	VersionCheckShipped = Checks.Register("shipped",
		"it asks while it starts, asks again until each endpoint has answered, and trusts no etcd before the first answer (FeatureSupportChecker)",
		Check{Asks: WhileStarting, Needs: fixedDeferring})
	VersionCheckPeriodic = Checks.Register("periodic",
		"as shipped, and it asks each endpoint again a minute after its answer (KEP-2340, draft of 2019, rejected alternative)",
		Check{Asks: Periodically, Needs: fixedDeferring})
	VersionCheckEachStream = Checks.Register("each-stream",
		"it asks the member behind each stream on which its watch is created, and drops the progress of the stream until it knows (KEP-2340, draft of 2019, rejected alternative)",
		Check{Asks: EachStream, Needs: fixedDeferring})
)

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
		option.Val("disabled", "off")).
		Undrawn("the command line does not say more than that a gate is on", "default"),
	option.Choice("watch-list", func(o *Options) *WatchList { return &o.WatchList },
		"the feature gate WatchList; when off, sendInitialEvents is refused",
		option.Val("default", "on"), option.Val("disabled", "off")).
		Undrawn("the command line does not say more than that a gate is on", "default"),
)
