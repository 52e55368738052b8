package informer

import (
	"github.com/watchbed/watchbed/properties/informers"
	scenarios "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"
)

// The Python client asks for bookmarks, and did not take their resourceVersion over.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "informer-ignores-bookmarks", Issue: "kubernetes-client/python#1796",
	Summary:  "an informer of a quiet resource resumes its watch at its last event, whatever bookmarks it was sent",
	Setting:  "informer-bookmarks=ignored",
	Scenario: scenarios.Overload, Property: informers.Resumes,
	Why: "a bookmark says that there is nothing up to a later resourceVersion",
})
