package reply

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/reply"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// kine, which serves etcd's API from an SQL database, did so from its first release on. A
// client that watches from the revision of its list then watches from history that may be
// compacted.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "requested-revision-in-header", Issue: "k3s-io/kine#595",
	Summary:  "the answer to a read of the past names the revision that was asked for as the one that etcd is at",
	Setting:  "answers=requested-revision",
	Scenario: scenarios.AnyEtcdRequests, Property: etcdapi.Answers,
	Why: "the contents are right, and etcd was past that revision when it was asked",
})

var _ = reply.Answers.Register("requested-revision", "of a range at a revision that etcd is at this revision: no release (kine#595)",
	func(env *sim.Env, request, right sim.Payload) sim.Payload {
		asked, isRange := request.(*wire.RangeRequest)
		r, answered := right.(*wire.RangeResponse)
		if !isRange || !answered || asked.Revision <= 0 || asked.Revision == r.Revision {
			return right
		}
		if env.Noting() {
			env.Note(altered{"answers with the revision that is asked for, and not with its own", sim.About{Revision: r.Revision, Key: asked.Key}})
		}
		wrong := *r
		wrong.Revision = asked.Revision
		return &wrong
	})
