package check

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
