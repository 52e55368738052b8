package knownbugs

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// A stream that keeps one flag for all of its watches. A busy watch starves the others of
// progress, as an unsynced one does where progress is requested for all (etcd-io/etcd#20242).
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "ticks-elided-by-others",
	Summary:  "a watch is sent no progress by the ticker while another watch of its stream is sent events",
	Setting:  "elided-ticks=stream",
	Scenario: scenarios.QuietWatch, Property: etcdapi.Progress,
	Why: "no event is missing, and progress comes again when the other watch is quiet",
})

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
