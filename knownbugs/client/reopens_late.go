package client

import (
	"time"

	"github.com/watchbed/watchbed/properties/client"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/client/clientv3"
	"github.com/watchbed/watchbed/testbed"
)

// A client of jetcd leaves it to gRPC when to connect again. gRPC waits for a second at
// first and for up to two minutes in the end, so that an etcd that was away for a while is
// back long before its watches are.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "client-reopens-late", Issue: "etcd-io/jetcd#1616",
	Summary:  "a client library waits for as long as gRPC does before it opens a broken watch stream again: seconds, and later minutes",
	Setting:  "reopen-pause=connection",
	Scenario: scenarios.Pauses, Property: client.ReopensInTime,
	Why: "the stream is opened again, and its watches go on where they were, later than clientv3 would have it",
})

// These are gRPC's (backoff.DefaultConfig), without the jitter.
const (
	firstConnectionBackoff = time.Second
	maxConnectionBackoff   = 2 * time.Minute
)

var _ = clientv3.ReopenPauses.Register("connection", "a second, and 1.6 times as long with each further break, up to two minutes (jetcd#1616)",
	func(last sim.Duration, _ *clientv3.Amounts) sim.Duration {
		return min(max(last*8/5, firstConnectionBackoff), maxConnectionBackoff)
	})
