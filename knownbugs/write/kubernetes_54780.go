package write

import (
	"github.com/watchbed/watchbed/properties/writes"
	scenarios "github.com/watchbed/watchbed/scenarios/writes"
	"github.com/watchbed/watchbed/sim/cache/write"
	"github.com/watchbed/watchbed/testbed"
)

var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-54780", Issue: "kubernetes/kubernetes#54780", FixedIn: "Kubernetes 1.9",
	Summary:  "an update that finds nothing to change in an old object is over, though it has something to change in the new one",
	Setting:  "suggestion=settled",
	Scenario: scenarios.Objects, Property: writes.NoLostUpdates,
	Why: "the object that it returns lacks what it was to add",
})

var _ = write.Suggestions.Register("settled", "that there is nothing to change, once etcd has been asked (kubernetes#54780)",
	write.Trust{Settles: true})
