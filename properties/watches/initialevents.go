package watches

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/properties/moments"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/truth"
	"github.com/watchbed/watchbed/workload"
)

// InitialEvents is what KEP-3157 promises of a watch with sendInitialEvents ("API
// changes"). It is exercised by watches that were sent the end of their initial
// events: those of raw clients, and those by which informers fill their stores.
var InitialEvents = testbed.RegisterProperty(&testbed.Property{
	Name: "initial-events", Kind: testbed.Safety,
	Promise: `At the bookmark that ends them, the initial events of a watch are what etcd had at the bookmark's resourceVersion, ` +
		`and that is not older than what was asked for; with resourceVersion "", than etcd was when it was asked.`,
	Violated:  "wrong initial events",
	Labels:    map[string]string{"stale": "initial events too old", "ghost": "wrong initial events", "stale-item": "wrong initial events"},
	Weight:    2,
	Past:      func(s *testbed.System) testbed.Past { return initialEventsPast{newInitialEvents(s)} },
	TimedPast: func(s *testbed.System) testbed.Past { return initialEventsPast{newInitialEvents(s)} },
	Remembers: true,
	New:       func(s *testbed.System) testbed.Judge { return newInitialEvents(s) },
})

type initialEvents struct {
	system *testbed.System
	// moments have etcd's revision when a raw client asked.
	moments     *moments.Recorder
	ofInformers *informerStreams
	// items is the buffer of collected.
	items []*wire.KeyValue
}

func newInitialEvents(s *testbed.System) *initialEvents {
	return &initialEvents{system: s, moments: moments.Of(s), ofInformers: testbed.Shared(s, newInformerStreams)}
}

// Reset implements testbed.Judge.
func (*initialEvents) Reset() {}

// Finding implements testbed.Judge.
func (j *initialEvents) Finding(*sim.World) explore.Finding {
	all := j.ofInformers.tally
	for i, c := range j.system.ListWatchers() {
		asked := j.moments.ListWatches(i)
		for k := range c.Streams() {
			st := &c.Streams()[k]
			if st.End < 0 {
				continue
			}
			version := st.Events[st.End].ResourceVersion
			end := ended{c.Name(), st.Request.ResourceVersion, asked[k].Asked.Revision, version}
			end.judge(&all, j.system.Truth().Compare(c.Name(), version, c.Prefix(), j.collected(st.Events[:st.End])))
		}
	}
	for i, c := range j.system.DrawnWatchers() {
		asked := j.moments.DrawnWatches(i)
		for k := range c.Streams() {
			st := &c.Streams()[k]
			drawn, judged := drawnWatchOf(st)
			if st.End < 0 || !judged {
				continue
			}
			version := st.Events[st.End].ResourceVersion
			end := ended{c.Name(), st.Request.ResourceVersion, asked[k].Asked.Revision, version}
			end.judge(&all, j.system.Truth().CompareSelected(c.Name(), version, &drawn.request, j.collected(st.Events[:st.End])))
		}
	}
	return all.Finding()
}

// initialEventsPast is, for each watch whose initial events have not ended, where etcd was when it was
// asked for, if that is how new they must be, and what a reflector would have kept of what has come.
type initialEventsPast struct{ *initialEvents }

// Digest implements testbed.Past.
func (p initialEventsPast) Digest(d sim.Digest) sim.Digest {
	for i, c := range p.system.ListWatchers() {
		if k := len(c.Streams()) - 1; k >= 0 && !c.Streams()[k].Closed {
			d = p.awaited(d, &c.Streams()[k], p.moments.ListWatches(i), k)
		}
	}
	for i, c := range p.system.DrawnWatchers() {
		if k := len(c.Streams()) - 1; k >= 0 && c.Watching() {
			d = p.awaited(d, &c.Streams()[k], p.moments.DrawnWatches(i), k)
		}
	}
	return p.ofInformers.digest(d)
}

// awaited mixes in what the end of the initial events of a watch is held against. Before the first step
// of a run no watch has been noted.
func (p initialEventsPast) awaited(d sim.Digest, st *workload.ListStream, noted []moments.Call, k int) sim.Digest {
	if !awaitsEnd(st) || k >= len(noted) {
		return d
	}
	d = d.Int((&ended{requested: st.Request.ResourceVersion, asked: noted[k].Asked.Revision}).oldest())
	p.collected(st.Events)(func(kv *wire.KeyValue) bool {
		d = d.Text(kv.Key).Text(kv.Value).Int(kv.CreateRevision).Int(kv.ModRevision).Int(kv.Version)
		return true
	})
	return d.Bool(true)
}

// ended is a watch with the end of its initial events: the client, the
// resourceVersion that it asked for, where etcd was then, and the version at the
// end.
type ended struct {
	client                    string
	requested, asked, version int64
}

// judge takes note of the end, and of how the contents differ from etcd's.
func (e *ended) judge(into *testbed.Tally, different *truth.Difference) {
	into.Exercised++
	if different != nil {
		into.Violate(different.Label(), different)
	}
	if e.version < e.oldest() {
		into.Violate("stale", &staleEnd{e.client, e.requested == wire.Unset, e.version, e.oldest()})
	}
}

// oldest is the version that the end may have at least.
func (e *ended) oldest() int64 {
	if e.requested == wire.Unset {
		return e.asked
	}
	return e.requested
}

// collected is what a client has of its initial events: what a reflector would keep, event by
// event.
func (j *initialEvents) collected(events []*wire.WatchEvent) truth.Contents {
	items := j.items[:0]
	for _, e := range events {
		if e.Item == nil {
			continue
		}
		at, found := slices.BinarySearchFunc(items, e.Item.Key, func(kv *wire.KeyValue, key string) int { return cmp.Compare(kv.Key, key) })
		switch {
		case found && e.Type == wire.Deleted:
			items = slices.Delete(items, at, at+1)
		case found:
			items[at] = e.Item
		case e.Type != wire.Deleted:
			items = slices.Insert(items, at, e.Item)
		}
	}
	j.items = items
	return func(f func(*wire.KeyValue) bool) {
		for _, kv := range items {
			if !f(kv) {
				return
			}
		}
	}
}

// staleEnd are initial events that end too early.
type staleEnd struct {
	client string
	// newest: the newest state was asked for.
	newest          bool
	version, oldest int64
}

func (e *staleEnd) String() string {
	if e.newest {
		return fmt.Sprintf("%s asked for the newest state when etcd was at revision %d; its initial events end at RV %d", e.client, e.oldest, e.version)
	}
	return fmt.Sprintf("%s asked for RV %d or later; its initial events end at RV %d", e.client, e.oldest, e.version)
}

// Concerns implements explore.Concerned.
func (e *staleEnd) Concerns() explore.Concern {
	return explore.Concern{Node: e.client, Revision: e.oldest}
}
