package knownbugs

import (
	"github.com/watchbed/watchbed/properties/checks"
	"github.com/watchbed/watchbed/scenarios/divergences"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// No cache is known to have had this one. A check that forgets what a digest is of
// passes each time, and nothing else says that it looks at too little.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "check-compares-names",
	Summary:  "a consistency check compares the names of objects only: an old object in the cache is not found",
	Setting:  "check-digest=names",
	Scenario: divergences.ConsistencyChecks, Property: checks.DetectorAccuracy,
	Why: "the lost event is of an object that the cache has, in an older revision",
})

var _ = check.CheckDigests.Register("names", "its name: an old object is not found",
	func(d store.Digest, prefix string, kv *wire.KeyValue) store.Digest {
		return d.Object(prefix, &wire.KeyValue{Key: kv.Key})
	})

// No cache is known to have had this one. A continue token without a revision would do
// it: the digest of etcd is then of two states.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "check-pages-of-newest-state",
	Summary:  "a consistency check lists its later pages at the newest revision: a write in between is taken for a difference",
	Setting:  "check-pages=newest",
	Scenario: divergences.ConsistencyChecks, Property: checks.DetectorAccuracy,
	Why: "cache and etcd are equal at the revision of the check",
})

var _ = check.CheckPages.Register("newest", "the newest: a write between two pages is a false alarm",
	func(int64) int64 { return 0 })
