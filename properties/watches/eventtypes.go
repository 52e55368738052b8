package watches

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

// EventTypes holds the type of each event of a cache's watch against the log, and the
// object of a DELETED event against the one that was deleted: Kubernetes sends the
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
	Monitor:  testbed.Monitor{Runs: testbed.EveryRun, State: eventTypesPast},
	New:      testbed.Recorded(eventTypes),
})

// addedOnly: all that comes before the end of initial events is from one state of the
// cache, as shipped. A design that lets a bookmark timer find the end, or sends events
// between initial ones, does not promise that.
func addedOnly(c *testbed.Cache) bool {
	return !slices.ContainsFunc(c.Servers(), func(s *testbed.Server) bool {
		o := &s.Cache.Watches
		return o.EndByTimer || o.Buffer == dispatch.BufferInject || o.Buffer == dispatch.BufferInjectMerged
	})
}

func eventTypes(s *testbed.System, _ *sim.World, all *testbed.Tally) {
	log := s.Truth().Log()
	for _, c := range s.Watchers() {
		for _, st := range c.Streams() {
			changes(all, c.Name(), st.Events, &model.WatchRequest{Values: c.Values()}, log)
		}
	}
	for _, c := range s.ListWatchers() {
		for i := range c.Streams() {
			st := &c.Streams()[i]
			events := st.Events
			if st.IsList() {
				initial := len(events)
				if st.End >= 0 {
					initial = st.End
				}
				if addedOnly(s.Cache(st.To)) {
					onlyAdded(all, c.Name(), events[:initial])
				}
				events = events[initial:]
			}
			changes(all, c.Name(), events, &model.WatchRequest{}, log)
		}
	}
	for _, c := range s.DrawnWatchers() {
		for i := range c.Streams() {
			st := &c.Streams()[i]
			if drawn, judged := drawnWatchOf(st); judged {
				if addedOnly(s.Cache(st.To)) {
					onlyAdded(all, c.Name(), st.Events[:st.End+1])
				}
				changes(all, c.Name(), st.Events[st.End+1:], &drawn.request, log)
			}
		}
	}
}

// eventTypesPast is what was sent and is not judged yet: events that are ahead of the log,
// and initial events of a drawn watch that have not ended.
func eventTypesPast(s *testbed.System, d sim.Digest) sim.Digest {
	judged := s.Truth().Revision()
	ahead := func(events []*wire.WatchEvent) bool {
		return slices.ContainsFunc(events, func(e *wire.WatchEvent) bool { return e.ResourceVersion > judged })
	}
	for _, c := range s.Watchers() {
		if slices.ContainsFunc(c.Streams(), func(st workload.Stream) bool { return ahead(st.Events) }) {
			d = c.Fingerprint(d)
		}
	}
	for _, c := range s.ListWatchers() {
		if slices.ContainsFunc(c.Streams(), func(st workload.ListStream) bool { return ahead(st.Events) }) {
			d = c.Fingerprint(d)
		}
	}
	for _, c := range s.DrawnWatchers() {
		if slices.ContainsFunc(c.Streams(), func(st workload.ListStream) bool { return awaitsEnd(&st) || ahead(st.Events) }) {
			d = c.Fingerprint(d)
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
			wrong := wrongType(client, e, "%s was sent %v among its initial events, which are ADDED only")
			if bookmark != nil {
				wrong = wrongType(client, e, "%s was sent %v after %v, a bookmark without the annotation k8s.io/initial-events-end: until one has it, a watch is sent ADDED only", bookmark.Label())
			}
			all.Violate("initial", wrong)
		}
	}
}

// changes judges events that are changes, of the items that a watch selects.
func changes(all *testbed.Tally, client string, events []*wire.WatchEvent, r *model.WatchRequest, log *model.Log) {
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
			all.Violate("type", wrongType(client, e, "%s was sent %v, but the change was %v", want))
		} else if want == wire.Deleted && !lastState(e, was) {
			all.Violate("object", wrongType(client, e, "%s was sent %v (mod revision %d, version %d), which is not the last state of the object", e.Item.ModRevision, e.Item.Version))
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

// wrongType is an event that is not what happened.
func wrongType(client string, e *wire.WatchEvent, format string, more ...any) fmt.Stringer {
	about := explore.Concern{Node: client, Revision: e.ResourceVersion, Key: e.Item.Key}
	return testbed.Wrong(about, format, append([]any{client, e.Label()}, more...)...)
}
