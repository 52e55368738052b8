package watches

import (
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

// KeepUp looks at the watches of raw clients when nothing more can happen: those of a
// cache and those of etcd's own watch API. One that is open and was not canceled must
// have been sent every change that it asks for, as an event; a bookmark behind the change
// does not make up for it. It is exercised by each of them, and by each run that cannot
// come to rest, because etcd's ticker goes on (draft-2019). With a clock something is
// always on its way, so that no such scenario claims it.
var KeepUp = testbed.RegisterProperty(&testbed.Property{
	Name: "watches-keep-up", Kind: testbed.Liveness,
	Promise:  "When nothing more can happen, every open watch has been sent every change.",
	Violated: "watch lacks a change",
	Labels:   map[string]string{"silent": "watch falls silent", "left-out": "watch lacks a change"},
	Monitor:  testbed.Monitor{Runs: testbed.Untimed, State: keepUpPast, AtRest: true},
	New:      testbed.RecordedBy(func(s *testbed.System) *keepUp { return &keepUp{system: s} }, (*keepUp).judgeAll),
})

type keepUp struct {
	system *testbed.System
	// sent are the changes that the watch which is looked at was sent.
	sent []change
}

// change is what happened to an object.
type change struct {
	revision int64
	key      string
}

func (j *keepUp) judgeAll(w *sim.World, all *testbed.Tally) {
	if !j.system.ComesToRest() {
		all.Exercised++
		return
	}
	if !j.system.IsOver(w) {
		return
	}
	for _, o := range openWatches(j.system) {
		j.sent = j.sent[:0]
		for _, e := range o.events {
			if e.Item != nil {
				j.sent = append(j.sent, change{e.ResourceVersion, e.Item.Key})
			}
		}
		r := &model.WatchRequest{Key: o.prefix, End: model.PrefixEnd(o.prefix), Values: o.values}
		j.judge(all, o.client, r, o.after+1)
	}
	for _, c := range j.system.Streams() {
		if c.Ended() {
			continue
		}
		for _, watch := range c.Watches(j.system.WatchRules()) {
			j.etcdWatch(all, c, watch)
		}
	}
}

// keepUpPast is which changes each open watch was sent, and from which revision on they are
// owed to it.
func keepUpPast(s *testbed.System, d sim.Digest) sim.Digest {
	for _, o := range openWatches(s) {
		var came sim.Digest
		for _, e := range o.events {
			if e.Item != nil {
				came = came.And(sim.NewDigest.Int(e.ResourceVersion).Text(e.Item.Key))
			}
		}
		d = d.Text(o.client).Int(o.after).Fold(came)
	}
	for _, c := range s.Streams() {
		if c.Ended() {
			continue
		}
		for _, watch := range c.Watches(s.WatchRules()) {
			m := etcdStream(c, watch)
			canceled := slices.ContainsFunc(m.Responses, func(r model.WatchResponse) bool { return r.Canceled })
			created := slices.ContainsFunc(m.Responses, func(r model.WatchResponse) bool { return r.Created })
			if !canceled && !c.HasLeft(watch) {
				d = position(d.Bool(created), &m)
			} else {
				d = d.Bool(false)
			}
		}
	}
	return d
}

// etcdWatch judges a watch of etcd's own API, if it was created and not canceled.
func (j *keepUp) etcdWatch(all *testbed.Tally, c *workload.EtcdWatch, watch workload.Watch) {
	m := etcdStream(c, watch)
	start, created := watch.StartRevision, false
	j.sent = j.sent[:0]
	for k := range m.Responses {
		resp := &m.Responses[k]
		if resp.Canceled {
			return
		}
		if resp.Created {
			created = true
			if start == 0 {
				start = resp.Revision + 1
			}
		}
		for _, e := range resp.Events {
			j.sent = append(j.sent, change{e.Revision, e.Item.Key})
		}
	}
	if created && !c.HasLeft(watch) {
		j.judge(all, c.Name(), &m.Request, start)
	}
}

// judge holds what a watch was sent against the changes from a revision on.
func (j *keepUp) judge(all *testbed.Tally, client string, r *model.WatchRequest, start int64) {
	all.Exercised++
	log := j.system.Truth().Log()
	for rev := log.Revision(); rev >= max(start, log.First()+1); rev-- {
		for _, key := range changedIn(log, rev, r) {
			if !slices.Contains(j.sent, change{rev, key}) {
				j.missing(all, client, change{rev, key})
				return
			}
		}
	}
}

func (j *keepUp) missing(all *testbed.Tally, client string, of change) {
	label, reached := "silent", int64(0)
	for _, c := range j.sent {
		reached = max(reached, c.revision)
	}
	if reached > of.revision {
		label = "left-out"
	}
	all.Violate(label, testbed.Wrong(explore.Concern{Node: client, Revision: of.revision, Key: of.key},
		"%s has an open watch, and nothing more can happen; the newest change that it was sent is of revision %d, and it was never sent that of %q at revision %d",
		client, reached, of.key, of.revision))
}

// changedIn are the keys with a change at a revision that a watch asks for.
func changedIn(log *model.Log, rev int64, r *model.WatchRequest) (keys []string) {
	before, after := log.At(rev-1), log.At(rev)
	after.Ascend(r.Key, r.End, func(it *model.Item) bool {
		seen := r.Selected(it) != nil || r.Selected(before.Get(it.Key)) != nil
		if it.ModRevision == rev && seen && !r.NoPut {
			keys = append(keys, it.Key)
		}
		return true
	})
	before.Ascend(r.Key, r.End, func(it *model.Item) bool {
		if after.Get(it.Key) == nil && r.Selected(it) != nil && !r.NoDelete {
			keys = append(keys, it.Key)
		}
		return true
	})
	return keys
}

// openWatch is a watch of a cache that a raw client has open.
type openWatch struct {
	client, prefix string
	// values is what the values of the objects look like that it selects.
	values model.ValuePattern
	cache  sim.NodeID
	// after is the resourceVersion from which on changes are owed to it, events are
	// those that were sent behind that.
	after  int64
	events []*wire.WatchEvent
}

// openWatches are all of a system. One that waits for the end of its initial events is
// not among them, nor is one whose client takes nothing more.
func openWatches(s *testbed.System) []openWatch {
	var all []openWatch
	for _, c := range s.Watchers() {
		if c.Watching() && !c.HasStopped() {
			st := &c.Streams()[len(c.Streams())-1]
			all = append(all, openWatch{c.Name(), c.Prefix(), c.Values(), c.To(), st.From, st.Events})
		}
	}
	for _, c := range s.ListWatchers() {
		n := len(c.Streams())
		if n == 0 || c.Streams()[n-1].Closed {
			continue
		}
		st := &c.Streams()[n-1]
		switch {
		case !st.IsList():
			all = append(all, openWatch{c.Name(), c.Prefix(), model.ValuePattern{}, st.To, st.Request.ResourceVersion, st.Events})
		case st.End >= 0:
			all = append(all, openWatch{c.Name(), c.Prefix(), model.ValuePattern{}, st.To, st.Events[st.End].ResourceVersion, st.Events[st.End+1:]})
		}
	}
	return all
}

// newestRevision is the newest resourceVersion that a client knows of, which knew of
// one before.
func newestRevision(before int64, events []*wire.WatchEvent) int64 {
	for _, e := range events {
		before = max(before, e.ResourceVersion)
	}
	return before
}
