package informer

import (
	"github.com/watchbed/watchbed/properties/informers"
	scenarios "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"
)

// A continue token says where to go on, and nothing of how far.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "informer-forgets-limit",
	Summary:  "an informer that lists in pages asks for everything behind the first page at once",
	Setting:  "informer-next-page=unlimited",
	Scenario: scenarios.ExpiredPages, Property: informers.TriesAgain,
	Why: "the second page has no limit; what the informer holds is right",
})
