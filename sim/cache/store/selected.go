package store

import "github.com/watchbed/watchbed/sim/wire"

// Selected is an event as a watch with a selector is sent it, nil if it is not
// (cacheWatcher.convertToWatchEvent): a change may move an object into the selection,
// which is ADDED, or out of it, which is DELETED with the object as it was, at the
// resourceVersion of the change. The selector's field is one of f. Errors and
// bookmarks are for all watches.
func (f Fields) Selected(s wire.Selector, e *wire.WatchEvent) *wire.WatchEvent {
	if s.Empty() || e.Item == nil {
		return e
	}
	is := f.Selects(s, e.Item)
	if e.Type == wire.Modified {
		switch was := e.Prev != nil && f.Selects(s, e.Prev); {
		case is && !was:
			return &wire.WatchEvent{Type: wire.Added, ResourceVersion: e.ResourceVersion, Item: e.Item}
		case was && !is:
			return &wire.WatchEvent{Type: wire.Deleted, ResourceVersion: e.ResourceVersion, Item: e.Prev, Prev: e.Prev}
		}
	}
	if !is {
		return nil
	}
	return e
}
