package client

import (
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// clientv3 took the revision of a progress notification for the next one to watch
// from. Releases of clientv3 really behaved so, so it is a value of an option.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "client-resume-repeats", Issue: "etcd-io/etcd#15248", FixedIn: "clientv3 3.4.24 and 3.5.8",
	Summary:  "after a progress notification a broken watch resumes one revision early: its last event comes twice",
	Setting:  "resume-revision=at-header",
	Scenario: scenarios.ConsistentList, Property: watches.Unique,
	Why: "the cache takes the event a second time and sends it on; what it holds is right",
})
