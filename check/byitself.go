package check

import "github.com/watchbed/watchbed/model"

// byItself holds what a watcher was sent against itself: the revisions and the version of an item, and the item before
// it. The judgements are violations. Events that were not asked for may lie between two that came.
func byItself(w *model.Watcher) []model.WatchJudgement {
	c := &contradictions{}
	for i := range w.Streams {
		last := map[string]*model.WatchEvent{}
		for n := range w.Streams[i].Responses {
			events := w.Streams[i].Responses[n].Events
			for k := range events {
				e := &events[k]
				c.at = model.WatchViolation{Stream: i, Response: n, Event: k}
				before := last[e.Item.Key]
				if before != nil && before.Revision >= e.Revision {
					before = nil
				}
				if e.Type == model.PutEvent && hasNumbers(e.Item) {
					c.numbers(e, before)
				}
				if e.PrevItem != nil {
					c.before(e, before)
				}
				last[e.Item.Key] = e
			}
		}
	}
	return c.found
}

// hasNumbers: Kubernetes does not send them.
func hasNumbers(it *model.Item) bool { return it.CreateRevision > 0 && it.Version > 0 }

// numbers judges the create revision and the version of an item. A revision puts a key once.
func (c *contradictions) numbers(e, before *model.WatchEvent) {
	it := e.Item
	switch {
	case (it.CreateRevision == it.ModRevision) != (it.Version == 1), it.Version > it.ModRevision-it.CreateRevision+1:
		c.violatedBy(model.Reliable, e, "has version %d, but the key was created at revision %d", it.Version, it.CreateRevision)
		return
	case before == nil:
		return
	}
	was := before.Item
	switch {
	case before.Type == model.PutEvent && was.CreateRevision == it.CreateRevision:
		if was.Version > 0 && (it.Version <= was.Version || it.Version-was.Version > it.ModRevision-was.ModRevision) {
			c.violatedBy(model.Reliable, e, "has version %d, and the one at revision %d had version %d", it.Version, before.Revision, was.Version)
		}
	case it.CreateRevision < before.Revision && (before.Type == model.DeleteEvent || was.CreateRevision > 0):
		c.violatedBy(model.Reliable, e, "says that the key was created at revision %d, but the %s at revision %d says otherwise", it.CreateRevision, before.Type, before.Revision)
	}
}

// before judges the item before an event by that, and by the event of the key before it.
func (c *contradictions) before(e, before *model.WatchEvent) {
	it, prev := e.Item, e.PrevItem
	switch {
	case prev.Key != it.Key:
		c.violatedBy(model.PrevKV, e, "carries an item of %q as the previous one", prev.Key)
	case e.Type == model.PutEvent && hasNumbers(it) && hasNumbers(prev) && (prev.CreateRevision != it.CreateRevision || prev.Version+1 != it.Version):
		c.violatedBy(model.PrevKV, e, "has version %d of the key created at revision %d, and carries version %d of that created at %d as the previous one",
			it.Version, it.CreateRevision, prev.Version, prev.CreateRevision)
	case before == nil:
	case prev.ModRevision < before.Revision:
		c.violatedBy(model.PrevKV, e, "carries the item of revision %d as the previous one, but the %s at revision %d came before it", prev.ModRevision, before.Type, before.Revision)
	case before.Type == model.PutEvent && prev.ModRevision == before.Revision && *prev != *before.Item:
		c.violatedBy(model.PrevKV, e, "carries %q of revision %d as the previous value (create %d, version %d), which was sent as %q (create %d, version %d)",
			prev.Value, prev.ModRevision, prev.CreateRevision, prev.Version, before.Item.Value, before.Item.CreateRevision, before.Item.Version)
	}
}
