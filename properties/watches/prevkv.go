package watches

import (
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/testbed"
)

// PrevKV is exercised by events of a watcher that asked for previous values.
var PrevKV = testbed.RegisterProperty(&testbed.Property{
	Name: "prevKV", Kind: testbed.Safety,
	Promise:   "Each event carries the item before it, if that was asked for and is not compacted, and none otherwise.",
	Violated:  "wrong previous value",
	Labels:    map[string]string{"watch": "wrong previous value"},
	New:       ofWatches(model.PrevKV),
	Past:      pastOf,
	TimedPast: pastOf,
})
