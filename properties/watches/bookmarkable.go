package watches

import (
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/testbed"
)

// Bookmarkable is exercised by bookmarks.
var Bookmarkable = testbed.RegisterProperty(&testbed.Property{
	Name: "bookmarkable", Kind: testbed.Safety,
	Promise:   "A bookmark at a revision comes after all events up to that revision.",
	Violated:  "bookmark too early",
	Labels:    map[string]string{"watch": "bookmark too early"},
	Weight:    1,
	New:       ofWatches(model.Bookmarkable),
	Past:      pastOf,
	TimedPast: pastOf,
})
