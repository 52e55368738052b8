package watch

import (
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/watchlists"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/testbed"
)

// No release of Kubernetes is known to have had this one: the handler of an API server writes
// the HTTP 200 when Cacher.Watch has returned. A shell around the cache that did not wait for
// that lost writes.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "established-early",
	Summary:  "a watch from now on is answered 200 before its beginning is fixed: writes of those who rely on it are lost",
	Setting:  "watch-established=accepted",
	Scenario: watchlists.Established, Property: watches.Established,
	Why: "the watch begins behind a write that came after the 200, and is never sent it",
})

var _ = dispatch.Announcements.Register("accepted", "when the request is accepted: the watch may begin later", true)
