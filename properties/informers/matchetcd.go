// Package informers has the properties of what informers hold (client-go's
// reflectors), restarts of their processes and other API servers included.
package informers

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/truth"
)

// MatchEtcd compares an informer with ground truth whenever it has listed or its
// resourceVersion has changed, which is how often it is exercised.
var MatchEtcd = testbed.RegisterProperty(&testbed.Property{
	Name: "informer-matches-etcd", Kind: testbed.Safety,
	Promise:   "After every step an informer holds what etcd had at the informer's resourceVersion, and nothing before the first list of its process.",
	Violated:  "informer differs from etcd",
	Labels:    truth.LabelsAs("informer differs from etcd", "unlisted"),
	Weight:    3,
	Past:      testbed.NoPast,
	TimedPast: testbed.NoPast,
	New:       func(s *testbed.System) testbed.Judge { return &matchEtcd{system: s} },
})

type matchEtcd struct {
	system *testbed.System
	seen   views
	tally  testbed.Tally
}

// Reset implements testbed.Judge.
func (j *matchEtcd) Reset() {
	j.seen.reset(j.system)
	j.tally = testbed.Tally{}
}

// Follows implements testbed.Follower.
func (*matchEtcd) Follows(p testbed.Part) bool {
	return p == testbed.InformerNode || p == testbed.TheWorld
}

// AfterStep implements testbed.StepObserver.
func (j *matchEtcd) AfterStep(_ *sim.World, a sim.Action) {
	for _, n := range j.system.InformersAfter(a) {
		if !n.Synced() {
			n.Ascend(func(kv *wire.KeyValue) bool {
				j.tally.Violate("unlisted", &unlisted{n.Name, kv})
				return false
			})
			continue
		}
		if !j.seen.changed(j.system, n) {
			continue
		}
		j.tally.Exercised++
		if d := j.system.Compare(n, n.ResourceVersion(), n.Ascend); d != nil {
			j.tally.Violate(d.Label(), d)
		}
	}
}

// Finding implements testbed.Judge.
func (j *matchEtcd) Finding(*sim.World) explore.Finding { return j.tally.Finding() }

// unlisted is an informer that holds an object of which its process was sent nothing.
type unlisted struct {
	informer string
	object   *wire.KeyValue
}

func (u *unlisted) String() string {
	return fmt.Sprintf("%s has not listed yet, and holds %s of revision %d", u.informer, u.object.Key, u.object.ModRevision)
}

// Concerns implements explore.Concerned.
func (u *unlisted) Concerns() explore.Concern {
	return explore.Concern{Node: u.informer, Key: u.object.Key, Revision: u.object.ModRevision}
}
