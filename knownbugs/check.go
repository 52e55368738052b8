package knownbugs

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/scenarios/divergences"
	"github.com/watchbed/watchbed/testbed"
)

// No cache is known to have had this one. A check that forgets what a digest is of
// passes each time, and nothing else says that it looks at too little.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "check-compares-names",
	Summary:  "a consistency check compares the names of objects only: an old object in the cache is not found",
	Setting:  "check-digest=names",
	Scenario: divergences.ConsistencyChecks, Property: caches.DetectorAccuracy,
	Why: "the lost event is of an object that the cache has, in an older revision",
})

// No cache is known to have had this one. A continue token without a revision would do
// it: the digest of etcd is then of two states.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "check-pages-of-newest-state",
	Summary:  "a consistency check lists its later pages at the newest revision: a write in between is taken for a difference",
	Setting:  "check-pages=newest",
	Scenario: divergences.ConsistencyChecks, Property: caches.DetectorAccuracy,
	Why: "cache and etcd are equal at the revision of the check",
})
