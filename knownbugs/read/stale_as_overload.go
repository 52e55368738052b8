package read

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// No cache is known to have had this one without meaning it: behind a gate Kubernetes does
// it on purpose (on-timeout=throttle). KEP-2340 has 504 with cause ResourceVersionTooLarge.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "stale-as-overload",
	Summary:  "a consistent LIST for which the cache is behind is refused as if there were too many requests",
	Setting:  "on-timeout=overload",
	Scenario: scenarios.Refusals, Property: caches.JustifiedRefusals,
	Why: "a LIST may be refused then, with another code: a client takes 429 for a lack of room and not of progress",
})

var _ = read.Timeouts.Register("overload", "429, though the design has 504", func(env *sim.Env, r *read.Read) {
	r.Refuse(env, &wire.Error{Code: wire.TooManyRequests, Message: "too many requests, please try again later", RetryAfter: 1})
})
