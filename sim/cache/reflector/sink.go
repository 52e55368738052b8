package reflector

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Sink is the cache that a reflector feeds.
type Sink interface {
	// BeginListAndWatch runs before each ListAndWatch.
	BeginListAndWatch(env *sim.Env)
	// Replace makes a list the contents. Of initial, nil if it is not known, most of it may be.
	Replace(env *sim.Env, items []*wire.KeyValue, initial *wire.Initial, resourceVersion int64)
	// Event takes in a change, or a progress notification, which is a bookmark.
	// The reflector takes nothing else from the watch until the sink calls Next.
	// Event reports false if the sink is locked and has not taken the event.
	Event(env *sim.Env, e *wire.WatchEvent) bool
	// EndListAndWatch runs when a ListAndWatch has ended.
	EndListAndWatch(env *sim.Env)
}
