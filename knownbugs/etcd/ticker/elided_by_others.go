package ticker

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
