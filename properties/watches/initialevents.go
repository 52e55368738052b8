package watches

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
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
	Violated: "wrong initial events",
	Labels:   map[string]string{"stale": "initial events too old", "ghost": "wrong initial events", "stale-item": "wrong initial events"},
	Weight:   2,
	New:      func(s *testbed.System) testbed.Judge { return &initialEvents{system: s} },
})

type initialEvents struct {
	system *testbed.System
	// asked is, for each stream of each raw client, etcd's revision when it was
	// asked for: of those that ask for initial events, then of those that draw.
	asked [][]int64
	// informers are what was known of each after the last step.
	informers   []informerView
	ofInformers testbed.Tally
	// items is the buffer of collected.
	items []*wire.KeyValue
}

// informerView is what was known of an informer, and etcd's revision when it asked
// for its last WatchList.
type informerView struct {
	record informer.Record
	asked  int64
}

// Reset implements testbed.Judge.
func (j *initialEvents) Reset() {
	for len(j.asked) < len(j.system.ListWatchers())+len(j.system.DrawnWatchers()) {
		j.asked = append(j.asked, nil)
	}
	for i := range j.asked {
		j.asked[i] = j.asked[i][:0]
	}
	j.informers, j.ofInformers = j.informers[:0], testbed.Tally{}
	for _, n := range j.system.Informers() {
		var v informerView
		if n.StreamsAtOnce() {
			v.record.Requests, v.asked = 1, j.system.Truth().Revision()
		}
		j.informers = append(j.informers, v)
	}
}

// Follows implements testbed.Follower.
func (*initialEvents) Follows(p testbed.Part) bool {
	switch p {
	case testbed.ListWatcherNode, testbed.DrawnWatcherNode, testbed.InformerNode, testbed.TheWorld:
		return true
	}
	return false
}

// AfterStep implements testbed.StepObserver.
func (j *initialEvents) AfterStep(_ *sim.World, a sim.Action) {
	at := len(j.system.ListWatchers())
	for i, c := range j.system.ListWatchers() {
		j.noteAsked(i, len(c.Streams()))
	}
	for i, c := range j.system.DrawnWatchers() {
		j.noteAsked(at+i, len(c.Streams()))
	}
	for _, n := range j.system.InformersAfter(a) {
		j.look(n, &j.informers[n.ID-j.system.Informers()[0].ID])
	}
}

// noteAsked takes etcd's revision for the streams of a client that are new.
func (j *initialEvents) noteAsked(client, streams int) {
	for len(j.asked[client]) < streams {
		j.asked[client] = append(j.asked[client], j.system.Etcd().Revision())
	}
}

// look compares an informer with what it was before the step.
func (j *initialEvents) look(n *testbed.Informer, v *informerView) {
	before := v.record
	v.record = *n.Record()
	if version := n.ResourceVersion(); version != 0 && v.record.Streamed > before.Streamed {
		end := ended{n.Name, v.record.Requested, v.asked, version}
		end.judge(&j.ofInformers, j.system.Compare(n, version, n.Ascend))
	}
	if v.record.Requests > before.Requests {
		v.asked = j.system.Truth().Revision()
	}
}

// Finding implements testbed.Judge.
func (j *initialEvents) Finding(*sim.World) explore.Finding {
	all := j.ofInformers
	for i, c := range j.system.ListWatchers() {
		for k := range c.Streams() {
			st := &c.Streams()[k]
			if st.End < 0 {
				continue
			}
			version := st.Events[st.End].ResourceVersion
			end := ended{c.Name(), st.Request.ResourceVersion, j.asked[i][k], version}
			end.judge(&all, j.system.Truth().Compare(c.Name(), version, c.Prefix(), j.collected(st)))
		}
	}
	at := len(j.system.ListWatchers())
	for i, c := range j.system.DrawnWatchers() {
		for k := range c.Streams() {
			st := &c.Streams()[k]
			drawn, judged := drawnWatchOf(st)
			if st.End < 0 || !judged {
				continue
			}
			version := st.Events[st.End].ResourceVersion
			end := ended{c.Name(), st.Request.ResourceVersion, j.asked[at+i][k], version}
			end.judge(&all, j.system.Truth().CompareSelected(c.Name(), version, &drawn.request, j.collected(st)))
		}
	}
	return all.Finding()
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

// collected is what a client has by the end of the initial events: what a reflector
// would keep, event by event.
func (j *initialEvents) collected(st *workload.ListStream) truth.Contents {
	items := j.items[:0]
	for _, e := range st.Events[:st.End] {
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
