package watch

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/scenarios/stalled"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/testbed"
)

// A client leaves while the dispatcher waits for room in its watcher's channel, which the end of
// its initial events is in. The stop is put off until the event is dispatched; meanwhile the time
// for the watcher is over, and it is to be drained. In the end only its input is closed: its
// goroutine waits for ever for room in the result channel, which its client has stopped to read.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-137631", Issue: "kubernetes/kubernetes#137631",
	Summary:  "a watcher that its client has left is drained after all, and its goroutine never ends",
	Setting:  "hard-stop=reopened",
	Scenario: stalled.Ended, Property: caches.NothingLeft,
	Why: "no client is there that could miss anything",
})

var _ = dispatch.HardStops.Register("reopened", "it is drained, and waits for its client for ever (kubernetes#137631)",
	func(*dispatch.Watcher) bool { return true })
