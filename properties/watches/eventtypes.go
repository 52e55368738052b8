package watches

import (
	"slices"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// EventTypes holds the type of each event of a cache's watch against the log, and the
// object of a DELETED event against the deleted object: Kubernetes sends the
// last state (cacheWatcher.convertToWatchEvent). Its own revision is that of its last
// change or that of the deletion. What happened before the run is not judged.
//
// Before the end of initial events a watch is sent ADDED only, unless the design sends
// changes between them (see addedOnly). It is exercised by events.
var EventTypes = testbed.RegisterProperty(&testbed.Property{
	Name: "event-types", Kind: testbed.Safety,
	Promise: "An event is ADDED if the object did not exist before, MODIFIED if it did, and DELETED with its last state if it ceased to exist; " +
		"for a watch with a selector, that is within the selection; " +
		"initial events are ADDED.",
	Violated: "wrong type of an event",
	Labels:   map[string]string{"type": "wrong type of an event", "initial": "initial event is not ADDED", "object": "not the object that was deleted"},
	Monitor:  testbed.Monitor{Runs: testbed.EveryRun, State: eventTypesAhead},
	New:      testbed.Recorded(eventTypes),
})

// addedOnly: all that comes before the end of initial events is from one state of the
// cache, as shipped. A design that lets a bookmark timer find the end, or sends events
// between initial ones, does not promise that.
func addedOnly(c *testbed.Cache) bool {
	return !testbed.AnyServer([]*testbed.Cache{c}, func(s *testbed.Server) bool {
		o := &s.Cache.Watches
		return o.EndByTimer || o.Buffer == dispatch.BufferInject || o.Buffer == dispatch.BufferInjectMerged
	})
}

func eventTypes(s *testbed.System, _ *sim.World, all *testbed.Tally) {
	log := s.Truth().Log()
	for w := range s.Watches() {
		// Of a drawn watch it is not known which events are initial ones before they have ended.
		r, judged := requestOf(w)
		if !judged && w.Part == testbed.DrawnWatcherNode {
			continue
		}
		_, changed := w.Changes()
		if w.AwaitsEnd() {
			changed = nil
		}
		if addedOnly(s.Cache(w.To)) {
			onlyAdded(all, w.Client, w.Events[:len(w.Events)-len(changed)])
		}
		changes(all, w.Client, changed, r, log, s.Cache(w.To).Server().Design.SpeaksEtcd)
	}
}

// eventTypesAhead is what was sent and is not judged yet: events that are ahead of the log,
// and initial events of a drawn watch that have not ended.
func eventTypesAhead(s *testbed.System, d sim.Digest) sim.Digest {
	judged, ahead := s.Truth().Revision(), false
	for w := range s.Watches() {
		ahead = ahead || w.Part == testbed.DrawnWatcherNode && w.AwaitsEnd() ||
			slices.ContainsFunc(w.Events, func(e *wire.WatchEvent) bool { return e.ResourceVersion > judged })
		if w.Last && ahead {
			d, ahead = w.Node.Fingerprint(d), false
		}
	}
	return d
}

// onlyAdded judges initial events.
func onlyAdded(all *testbed.Tally, client string, events []*wire.WatchEvent) {
	var bookmark *wire.WatchEvent
	for _, e := range events {
		if e.Type == wire.Bookmark {
			bookmark = e
		}
		if e.Item == nil {
			continue
		}
		all.Exercised++
		if e.Type != wire.Added {
			if bookmark == nil {
				wrongEvent(all, "initial", client, e, "%s was sent %v among its initial events, which are ADDED only")
			} else {
				wrongEvent(all, "initial", client, e, "%s was sent %v after %v, a bookmark without the annotation k8s.io/initial-events-end: "+
					"until one has it, a watch is sent ADDED only", bookmark.Label())
			}
		}
	}
}

// changes judges events that are changes, of the items that a watch selects. keyAlone: so deletions come.
func changes(all *testbed.Tally, client string, events []*wire.WatchEvent, r *model.WatchRequest, log *model.Log, keyAlone bool) {
	for _, e := range events {
		if e.Item == nil {
			continue
		}
		before, after := log.At(e.ResourceVersion-1), log.At(e.ResourceVersion)
		if before == nil || after == nil {
			continue
		}
		was, is := r.Selected(before.Get(e.Item.Key)), r.Selected(after.Get(e.Item.Key))
		if is == was {
			// Nothing happened to the object: that is a matter of Reliable.
			continue
		}
		all.Exercised++
		if want := typeOf(was, is); e.Type != want {
			wrongEvent(all, "type", client, e, "%s was sent %v, but the change was %v", want)
		} else if want == wire.Deleted && keyAlone && *e.Item != (wire.KeyValue{Key: was.Key, ModRevision: e.ResourceVersion}) {
			wrongEvent(all, "object", client, e, "%s was sent %v, which has more than the key and the revision of the deletion")
		} else if want == wire.Deleted && !keyAlone && !lastState(e, was) {
			wrongEvent(all, "object", client, e, "%s was sent %v (mod revision %d, version %d), which is not the last state of the object",
				e.Item.ModRevision, e.Item.Version)
		}
	}
}

// typeOf is the type of the event of a change; one of the two objects is not nil.
func typeOf(was, is *model.Item) wire.WatchEventType {
	switch {
	case is == nil:
		return wire.Deleted
	case was == nil:
		return wire.Added
	}
	return wire.Modified
}

// lastState reports whether a DELETED event has the object that was deleted.
func lastState(e *wire.WatchEvent, was *model.Item) bool {
	kv := e.Item
	return kv.Value == was.Value && kv.CreateRevision == was.CreateRevision && kv.Version == was.Version &&
		(kv.ModRevision == was.ModRevision || kv.ModRevision == e.ResourceVersion)
}

// wrongEvent notes an event that is not what happened.
func wrongEvent(all *testbed.Tally, label, client string, e *wire.WatchEvent, format string, more ...any) {
	about := testbed.Concern{Node: client, Revision: e.ResourceVersion, Key: e.Item.Key}
	all.Violatef(label, about, format, append([]any{client, e.Label()}, more...)...)
}
