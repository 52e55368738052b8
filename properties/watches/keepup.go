package watches

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

// KeepUp looks at the watches of raw clients when nothing more can happen: those of a
// cache and those of etcd's own watch API. One that is open and was not canceled must
// have been sent the newest change that it asks for. It is exercised by each of them.
var KeepUp = testbed.RegisterProperty(&testbed.Property{
	Name: "watches-keep-up", Kind: testbed.Liveness,
	Promise:  "When nothing more can happen, every open watch has been sent the newest change.",
	Violated: "watch falls silent",
	New:      func(s *testbed.System) testbed.Judge { return &keepUp{s} },
})

type keepUp struct{ system *testbed.System }

// Reset implements testbed.Judge.
func (*keepUp) Reset() {}

// Finding implements testbed.Judge.
func (j *keepUp) Finding(w *sim.World) explore.Finding {
	var all testbed.Tally
	if !j.system.IsOver(w) {
		return all.Finding()
	}
	for _, o := range openWatches(j.system) {
		r := &model.WatchRequest{Key: o.prefix, End: model.PrefixEnd(o.prefix)}
		j.judge(&all, o.client, r, o.after+1, newestRevision(o.after, o.events))
	}
	for _, c := range j.system.Streams() {
		if c.Ended() {
			continue
		}
		for _, watch := range c.Watches(j.system.Nodes().Etcd.Watch.NegativeStart == v3rpc.Refused) {
			j.etcdWatch(&all, c, watch)
		}
	}
	return all.Finding()
}

// etcdWatch judges a watch of etcd's own API, if it was created and not canceled.
func (j *keepUp) etcdWatch(all *testbed.Tally, c *workload.EtcdWatch, watch workload.Watch) {
	m := etcdStream(c, watch)
	start, reached, created := watch.StartRevision, int64(0), false
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
			reached = max(reached, e.Revision)
		}
	}
	if created && !c.HasLeft(watch) {
		j.judge(all, c.Name(), &m.Request, start, reached)
	}
}

// judge holds how far a watch has come against the newest change from a revision on.
func (j *keepUp) judge(all *testbed.Tally, client string, r *model.WatchRequest, start, reached int64) {
	all.Exercised++
	log := j.system.Truth().Log()
	for rev := log.Revision(); rev >= max(start, log.First()+1) && rev > reached; rev-- {
		if key := changedIn(log, rev, r); key != "" {
			all.Violate("silent", &silent{client, reached, rev, key})
			return
		}
	}
}

// changedIn is a key with a change at a revision that a watch asks for, empty if there
// is none.
func changedIn(log *model.Log, rev int64, r *model.WatchRequest) (key string) {
	before, after := log.At(rev-1), log.At(rev)
	after.Ascend(r.Key, r.End, func(it *model.Item) bool {
		if it.ModRevision == rev && !r.NoPut {
			key = it.Key
		}
		return key == ""
	})
	before.Ascend(r.Key, r.End, func(it *model.Item) bool {
		if after.Get(it.Key) == nil && !r.NoDelete {
			key = it.Key
		}
		return key == ""
	})
	return key
}

// silent is a watch that was not sent the newest change.
type silent struct {
	client          string
	reached, newest int64
	key             string
}

func (s *silent) String() string {
	return fmt.Sprintf("%s has an open watch, and nothing more can happen; it was sent nothing after revision %d, and never the change of %q at revision %d",
		s.client, s.reached, s.key, s.newest)
}

// Concerns implements explore.Concerned.
func (s *silent) Concerns() explore.Concern {
	return explore.Concern{Node: s.client, Revision: s.newest, Key: s.key}
}
