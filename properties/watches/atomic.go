package watches

import "github.com/watchbed/watchbed/testbed"

// Atomic is exercised by revisions of several events.
var Atomic = guarantee(testbed.Property{
	Name:     "atomic",
	Promise:  "The events of one revision come in one response.",
	Violated: "revision in parts",
})

// Bookmarkable is exercised by bookmarks.
var Bookmarkable = guarantee(testbed.Property{
	Name:     "bookmarkable",
	Promise:  "A bookmark at a revision comes after all events up to that revision.",
	Violated: "bookmark too early",
	Labels:   map[string]string{"watch": "bookmark too early"},
	Weight:   1,
})
