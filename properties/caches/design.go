package caches

import (
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/release"
)

// bypassed reports whether etcd answers every LIST and GET.
func bypassed(o *read.Options) bool { return read.Freshnesses.Of(o.Freshness).Bypasses }

// needsProgress reports whether a LIST that gives no resourceVersion is a consistent read, which the
// cache answers only if etcd's progress can be trusted.
func needsProgress(o *read.Options) bool { return read.Freshnesses.Of(o.Freshness).NeedsProgress }

// catchesUp reports whether a watch whose channel has no room for an event goes on, and comes to the
// event later (KEP-6268).
func catchesUp(o *dispatch.Options) bool { return o.SlowWatchers != dispatch.SlowWatcher(0) }

// passes reports whether a version check takes an etcd for new enough. KEP-2340 asks for the fix of
// etcd-io/etcd#15220; what was shipped, and what came after it, for that of etcd-io/etcd#17507.
func passes(check guard.VersionCheck, v release.Version) bool {
	in34, in35 := release.Must("3.4.31"), release.Must("3.5.13")
	switch check {
	case guard.VersionCheckNone:
		return true
	case guard.VersionCheckKEPBeta, guard.VersionCheckKEPGA:
		in34, in35 = release.Must("3.4.25"), release.Must("3.5.8")
	}
	return !v.Before(in35) || !v.Before(in34) && v.Before(release.Must("3.5.0"))
}
