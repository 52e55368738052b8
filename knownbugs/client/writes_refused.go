package client

import (
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// A client reads out of the text of an error that nothing was written: the leader
// failed. The next leader may have the write in its log all the same.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "client-refuses-writes", Issue: "etcd-io/etcd#5577",
	Summary:  "a write that timed out is said to be refused, and was carried out",
	Setting:  "unknown-writes=refused",
	Scenario: scenarios.EtcdErrors, Property: reads.LinearizableAnswers,
	Why:        "no fate of the other writes that timed out explains what is read",
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData, reads.Sequential, reads.AtMostOnce},
	WhyFurther: "reads show a write that no client made, by what all were answered; without another write that timed out ground truth does not explain it either",
})
