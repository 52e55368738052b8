package ticker

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// sendLoop leaves a watch out of the next tick that was sent events, and must take it in
// again at that tick. A cache that waits for the ticker is as old as its last event if it
// does not.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "ticks-stop-after-events",
	Summary:  "a watch that was sent events is sent no progress by the ticker any more",
	Setting:  "elided-ticks=for-good",
	Scenario: scenarios.QuietAgain, Property: etcdapi.Progress,
	Why: "no event is missing, and nothing comes when there are no more of them",
})
