package etcdapi

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
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
	New:      func(s *testbed.System) testbed.Judge { return &nothingLeft{s} },
})

type nothingLeft struct{ system *testbed.System }

// Reset implements testbed.Judge.
func (*nothingLeft) Reset() {}

// Finding implements testbed.Judge.
func (j *nothingLeft) Finding(w *sim.World) explore.Finding {
	var all testbed.Tally
	if w.Mode() == sim.Timed || !j.system.IsOver(w) {
		return all.Finding()
	}
	for _, m := range j.system.Members() {
		all.Exercised++
		left := &left{name: m.Name, Held: m.Held(), open: w.Accepted(m.ID)}
		switch {
		case left.Calls > 0:
			all.Violate("calls", left)
		case left.Streams+left.Followers != left.open:
			all.Violate("streams", left)
		case left.Waiting > 0:
			all.Violate("responses", left)
		case left.Unknown > 0:
			all.Violate("watches", left)
		}
	}
	return all.Finding()
}

// left is what a server still has.
type left struct {
	name string
	etcd.Held
	open int
}

func (l *left) String() string {
	return fmt.Sprintf("nothing more can happen, and %s holds %d calls, %d watch streams and %d streams of members; %d connections to it are open. "+
		"%d responses or watches wait, and it keeps something for %d watches that ended",
		l.name, l.Calls, l.Streams, l.Followers, l.open, l.Waiting, l.Unknown)
}

// Concerns implements explore.Concerned.
func (l *left) Concerns() explore.Concern {
	return explore.Concern{Node: l.name, Revision: l.WaitingFrom}
}
