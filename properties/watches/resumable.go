package watches

import (
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/testbed"
)

// Resumable is exercised by streams from a revision that had something to tell.
var Resumable = testbed.RegisterProperty(&testbed.Property{
	Name: "resumable", Kind: testbed.Safety,
	Promise:   "A watch from a revision begins with the first event from there on, and streams that follow one another leave nothing out between them.",
	Violated:  "missing event after a resume",
	Labels:    map[string]string{"watch": "missing event after a resume"},
	New:       ofWatches(model.Resumable),
	Past:      pastOf,
	TimedPast: pastOf,
})
