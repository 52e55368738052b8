package etcdapi

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// NothingLeft looks at each server of etcd when nothing more can happen. What it still
// has in memory on behalf of clients must have a client: each watch stream, and each
// stream of another member, an open connection. No call and no response waits, every
// watcher is synced unless its history is compacted, and a stream keeps nothing for a
// watch that has ended. It is exercised by each server once in a run that comes to rest.
var NothingLeft = testbed.RegisterProperty(&testbed.Property{
	Name: "etcd-nothing-left", Kind: testbed.Safety,
	Promise:  "When nothing more can happen, etcd holds no call, no response and no option of a watch that ended, and as many streams as clients have open.",
	Violated: "left behind in etcd",
	Labels:   map[string]string{"calls": "calls left in etcd", "streams": "streams left in etcd", "responses": "responses left in etcd", "watches": "watches left in etcd"},
	Past:     testbed.NoPast,
	AtRest:   true,
	New:      testbed.Recorded(nothingLeft),
})

func nothingLeft(s *testbed.System, w *sim.World, all *testbed.Tally) {
	if w.Mode() == sim.Timed || !s.IsOver(w) {
		return
	}
	for _, m := range s.Members() {
		all.Exercised++
		held, open := m.Held(), w.Accepted(m.ID)
		left := testbed.Wrong(explore.Concern{Node: m.Name, Revision: held.WaitingFrom},
			"nothing more can happen, and %s holds %d calls, %d watch streams and %d streams of members; %d connections to it are open. "+
				"%d responses or watches wait, and it keeps something for %d watches that ended",
			m.Name, held.Calls, held.Streams, held.Followers, open, held.Waiting, held.Unknown)
		switch {
		case held.Calls > 0:
			all.Violate("calls", left)
		case held.Streams+held.Followers != open:
			all.Violate("streams", left)
		case held.Waiting > 0:
			all.Violate("responses", left)
		case held.Unknown > 0:
			all.Violate("watches", left)
		}
	}
}
