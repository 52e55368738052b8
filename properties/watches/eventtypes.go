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
	Violated:  "wrong type of an event",
	Labels:    map[string]string{"type": "wrong type of an event", "initial": "initial event is not ADDED", "object": "not the object that was deleted"},
	Past:      func(s *testbed.System) testbed.Past { return eventTypesPast{s} },
	TimedPast: func(s *testbed.System) testbed.Past { return eventTypesPast{s} },
	New: func(s *testbed.System) testbed.Judge {
		return &eventTypes{system: s}
	},
})

// addedOnly: all that comes before the end of initial events is from one state of the
// cache, as shipped. A design that lets a bookmark timer find the end, or sends events
// between initial ones, does not promise that.
func addedOnly(c *testbed.Cache) bool {
	return !slices.ContainsFunc(c.Servers(), func(s *testbed.Server) bool {
		o := &s.Cache.Watches
		return o.EndByTimer || dispatch.Buffers.Of(o.Buffer).Between != nil
	})
}

type eventTypes struct {
	system *testbed.System
}

// Reset implements testbed.Judge.
func (*eventTypes) Reset() {}

// Finding implements testbed.Judge.
func (j *eventTypes) Finding(*sim.World) explore.Finding {
	var all testbed.Tally
	log := j.system.Truth().Log()
	for _, c := range j.system.Watchers() {
		for _, st := range c.Streams() {
			changes(&all, c.Name(), st.Events, &model.WatchRequest{Values: c.Values()}, log)
		}
	}
	for _, c := range j.system.ListWatchers() {
		for i := range c.Streams() {
			st := &c.Streams()[i]
			events := st.Events
			if st.IsList() {
				initial := len(events)
				if st.End >= 0 {
					initial = st.End
				}
				if addedOnly(j.system.Cache(st.To)) {
					onlyAdded(&all, c.Name(), events[:initial])
				}
				events = events[initial:]
			}
			changes(&all, c.Name(), events, &model.WatchRequest{}, log)
		}
	}
	for _, c := range j.system.DrawnWatchers() {
		for i := range c.Streams() {
			st := &c.Streams()[i]
			if drawn, judged := drawnWatchOf(st); judged {
				if addedOnly(j.system.Cache(st.To)) {
					onlyAdded(&all, c.Name(), st.Events[:st.End+1])
				}
				changes(&all, c.Name(), st.Events[st.End+1:], &drawn.request, log)
			}
		}
	}
	return all.Finding()
}

// eventTypesPast is what was sent and is not judged yet: events that are ahead of the log,
// and initial events of a drawn watch that have not ended.
type eventTypesPast struct{ system *testbed.System }

// Digest implements testbed.Past.
func (p eventTypesPast) Digest(d sim.Digest) sim.Digest {
	judged := p.system.Truth().Revision()
	ahead := func(events []*wire.WatchEvent) bool {
		return slices.ContainsFunc(events, func(e *wire.WatchEvent) bool { return e.ResourceVersion > judged })
	}
	for _, c := range p.system.Watchers() {
		if slices.ContainsFunc(c.Streams(), func(st workload.Stream) bool { return ahead(st.Events) }) {
			d = c.Fingerprint(d)
		}
	}
	for _, c := range p.system.ListWatchers() {
		if slices.ContainsFunc(c.Streams(), func(st workload.ListStream) bool { return ahead(st.Events) }) {
			d = c.Fingerprint(d)
		}
	}
	for _, c := range p.system.DrawnWatchers() {
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
			all.Violate("initial", &wrongType{client: client, event: e, want: wire.Added, initial: true, bookmark: bookmark})
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
			all.Violate("type", &wrongType{client: client, event: e, want: want})
		} else if want == wire.Deleted && !lastState(e, was) {
			all.Violate("object", &wrongType{client: client, event: e, want: want})
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
type wrongType struct {
	client  string
	event   *wire.WatchEvent
	want    wire.WatchEventType
	initial bool
	// bookmark is the last one before an initial event, nil if there is none.
	bookmark *wire.WatchEvent
}

func (v *wrongType) String() string {
	e := v.event
	switch {
	case v.bookmark != nil:
		return fmt.Sprintf("%s was sent %v after %v, a bookmark without the annotation k8s.io/initial-events-end: until one has it, a watch is sent ADDED only", v.client, e.Label(), v.bookmark.Label())
	case v.initial:
		return fmt.Sprintf("%s was sent %v among its initial events, which are ADDED only", v.client, e.Label())
	case e.Type == v.want:
		return fmt.Sprintf("%s was sent %v (mod revision %d, version %d), which is not the last state of the object", v.client, e.Label(), e.Item.ModRevision, e.Item.Version)
	}
	return fmt.Sprintf("%s was sent %v, but the change was %v", v.client, e.Label(), v.want)
}

// Concerns implements explore.Concerned.
func (v *wrongType) Concerns() explore.Concern {
	return explore.Concern{Node: v.client, Revision: v.event.ResourceVersion, Key: v.event.Item.Key}
}
