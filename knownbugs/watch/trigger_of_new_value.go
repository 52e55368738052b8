package watch

import (
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// No cache is known to have had this one. The object in the event is the one after the
// change, so it is the first that comes to mind.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "trigger-of-new-value",
	Summary:  "a watch by a field is not given the event of an object that another value takes out of its selection: DELETED never comes",
	Setting:  "watch-trigger=after",
	Scenario: scenarios.SelectedLists, Property: watches.Reliable,
	Why:        "the watch goes on with later events, and lacks that one",
	Further:    []*testbed.Property{watches.KeepUp, watches.Resumable, watches.Bookmarkable},
	WhyFurther: "each of them misses the same event: after a while, or after the next event or bookmark",
})

var _ = dispatch.Triggers.Register("after", "those of objects that have its value after the change",
	func(field *store.Field, value string, e *wire.WatchEvent) bool { return field.Value(e.Item) == value })
