package cache

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// processEvent takes in a change and wakes the reads that wait, all under the
// lock. It returns what the dispatcher is to be handed.
func (c *Cache) processEvent(env *sim.Env, in *wire.WatchEvent) store.Event {
	var e store.Event
	if c.cfg.Defects.Publication == PublicationVersionFirst {
		e = c.store.Admit(env, in)
		c.reflector.unstored = in
		if env.Noting() {
			env.Say("is at resourceVersion " + number(in.ResourceVersion) + " for everybody to see, and its store does not have the change yet")
		}
	} else {
		e = c.store.ProcessEvent(env, in)
		c.markedAmidEvent(env)
	}
	c.broadcast(env)
	return e
}

// updateResourceVersion takes in a progress notification. It believes it
// whatever it says, as upstream does: also if it goes back in time.
func (c *Cache) updateResourceVersion(env *sim.Env, resourceVersion, id int64) store.Event {
	env.Cover(progressNotified)
	env.Add(bookmarksReceived, 1)
	c.sawNotification(env)
	c.requester.takeEcho(env, id)
	if env.Noting() {
		env.Say("takes progress " + number(resourceVersion) + " as a promise that it has seen everything up to revision " + number(resourceVersion) + ": it is at resourceVersion " + number(resourceVersion) + " now")
	}
	c.store.SetResourceVersion(env, resourceVersion)
	c.broadcast(env)
	return store.Event{ResourceVersion: resourceVersion, Bookmark: true}
}

// replace makes a list the contents, and the cache ready (onReplace).
func (c *Cache) replace(env *sim.Env, items []*wire.KeyValue, resourceVersion int64) {
	c.store.Replace(env, items, resourceVersion)
	c.markedAmidEvent(env)
	c.dispatcher.Listed(env, resourceVersion)
	c.ready.setReady(env.Now())
	c.tellReady(env)
	c.broadcast(env)
}

func number(n int64) string { return strconv.FormatInt(n, 10) }
