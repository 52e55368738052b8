package watches

import (
	"iter"
	"slices"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
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
	Monitor:  testbed.Monitor{Runs: testbed.Untimed, State: changesSent, AtRest: true},
	New:      testbed.AtRest(keepUp),
})

// change is what happened to an object.
type change struct {
	revision int64
	key      string
}

func keepUp(s *testbed.System, _ *sim.World, all *testbed.Tally) {
	for o := range openWatches(s) {
		after, events := o.Changes()
		var sent []change
		for _, e := range events {
			if e.Item != nil {
				sent = append(sent, change{e.ResourceVersion, e.Item.Key})
			}
		}
		prefix := o.Request.Prefix
		r := &model.WatchRequest{Key: prefix, End: model.PrefixEnd(prefix), Values: o.Values}
		keepsUp(all, o.Client, s.Truth().Log(), r, after+1, sent)
	}
	for _, c := range s.Streams() {
		if c.Ended() {
			continue
		}
		for _, watch := range c.Watches(s.WatchRules()) {
			etcdKeepsUp(s, all, c, watch)
		}
	}
}

// changesSent is which changes each open watch was sent, and from which revision on they are
// owed to it.
func changesSent(s *testbed.System, d sim.Digest) sim.Digest {
	for o := range openWatches(s) {
		var came sim.Digest
		after, events := o.Changes()
		for _, e := range events {
			if e.Item != nil {
				came = came.And(sim.NewDigest.Int(e.ResourceVersion).Text(e.Item.Key))
			}
		}
		d = d.Text(o.Client).Int(after).Fold(came)
	}
	for _, c := range s.Streams() {
		if c.Ended() {
			continue
		}
		for _, watch := range c.Watches(s.WatchRules()) {
			m := c.Stream(watch)
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

// etcdKeepsUp judges a watch of etcd's own API, if it was created and not canceled.
func etcdKeepsUp(s *testbed.System, all *testbed.Tally, c *workload.EtcdWatch, watch workload.Watch) {
	m := c.Stream(watch)
	start, created := watch.StartRevision, false
	var sent []change
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
			sent = append(sent, change{e.Revision, e.Item.Key})
		}
	}
	if created && !c.HasLeft(watch) {
		keepsUp(all, c.Name(), s.Truth().Log(), &m.Request, start, sent)
	}
}

// keepsUp holds what a watch was sent against the changes from a revision on.
func keepsUp(all *testbed.Tally, client string, log *model.Log, r *model.WatchRequest, start int64, sent []change) {
	all.Exercised++
	for rev := log.Revision(); rev >= max(start, log.First()+1); rev-- {
		for _, e := range r.Changes(log, rev) {
			if !r.Wants(e.Type, e.Item.Key) || slices.Contains(sent, change{rev, e.Item.Key}) {
				continue
			}
			label, reached := "silent", int64(0)
			for _, c := range sent {
				reached = max(reached, c.revision)
			}
			if reached > rev {
				label = "left-out"
			}
			all.Violatef(label, testbed.Concern{Node: client, Revision: rev, Key: e.Item.Key},
				"%s has an open watch of %s from revision %d, and nothing more can happen; the newest change that it was sent is of revision %d, and it was never sent that of %q at revision %d",
				client, r.Key, start, reached, e.Item.Key, rev)
			return
		}
	}
}

// openWatches are those of a system which changes are owed to. One that waits for the end of its initial events is
// not among them, nor is one whose client takes nothing more.
func openWatches(s *testbed.System) iter.Seq[*testbed.Watch] {
	return func(yield func(*testbed.Watch) bool) {
		for w := range s.Watches(testbed.WatcherNode, testbed.ListWatcherNode) {
			if w.Open && !w.Stopped && !w.AwaitsEnd() && !yield(w) {
				return
			}
		}
	}
}
