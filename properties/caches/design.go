package caches

import (
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/release"
	"github.com/watchbed/watchbed/sim/wire"
)

// What the values of options promise is written down here a second time: a judge that asks the code
// of a value agrees with it whatever it does.

// Bypassed reports whether etcd answers every LIST and GET.
func Bypassed(o *read.Options) bool { return o.Freshness == read.FreshnessDirect }

// NeedsProgress reports whether a LIST that gives no resourceVersion is a consistent read, which the
// cache answers only if etcd's progress can be trusted.
func NeedsProgress(o *read.Options) bool { return !Bypassed(o) && o.Freshness != read.FreshnessNone }

// catchesUp reports whether a watch whose channel has no room for an event goes on, and comes to the
// event later (KEP-6268).
func catchesUp(o *dispatch.Options) bool { return o.SlowWatchers != dispatch.SlowWatcher(0) }

// delegated reports whether etcd serves a watch: all watches, or only watches that give no resourceVersion
// and leave sendInitialEvents unset (kubernetes/kubernetes#115096).
func delegated(o *dispatch.Options, asked *wire.WatchRequest) bool {
	switch o.Delegation {
	case dispatch.DelegateWatches:
		return true
	case dispatch.DelegateUnset:
		return asked.ResourceVersion == wire.Unset && asked.SendInitialEvents == wire.SendInitialEventsUnset
	}
	return false
}

// PassesCheck reports whether a version check takes an etcd for new enough. KEP-2340 asks for the fix of
// etcd-io/etcd#15220; what was shipped, and what came after it, for that of etcd-io/etcd#17507.
func PassesCheck(check guard.VersionCheck, v release.Version) bool {
	in34, in35 := release.Must("3.4.31"), release.Must("3.5.13")
	switch check {
	case guard.VersionCheckNone:
		return true
	case guard.VersionCheckKEPBeta, guard.VersionCheckKEPGA:
		in34, in35 = release.Must("3.4.25"), release.Must("3.5.8")
	}
	return !v.Before(in35) || !v.Before(in34) && v.Before(release.Must("3.5.0"))
}
