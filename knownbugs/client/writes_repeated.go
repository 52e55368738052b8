package client

import (
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// gRPC's UNAVAILABLE says that a request may be tried again. Of a write it does not say
// that the first attempt failed. jetcd repeats all requests; etcd was held responsible
// for it until etcd-io/etcd#14890 was understood.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "client-repeats-writes", Issue: "etcd-io/jetcd#1444",
	Summary:  "a write that timed out is sent again, and carried out twice",
	Setting:  "unknown-writes=repeated",
	Scenario: scenarios.EtcdErrors, Property: reads.AtMostOnce,
	Why:        "the client asked once, and etcd carried it out twice",
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData, reads.Sequential, reads.LinearizableAnswers},
	WhyFurther: "the second time undoes what others wrote in between, and takes a revision that no client's write explains",
})
