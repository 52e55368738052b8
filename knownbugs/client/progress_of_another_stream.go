package client

import (
	"strconv"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/client/clientv3"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// A progress notification reaches all watches of the client library. Those on other
// streams may have events under way that the notification does not include.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "progress-of-another-stream",
	Summary:  "a progress notification of one stream ends the wait of reads whose watch is on another stream",
	Setting:  "progress-scope=client",
	Scenario: scenarios.SeveralCaches, Property: caches.MatchEtcd,
	Why: "the cache says it is at a version whose events are under way on its own stream",
})

var _ = clientv3.ProgressScopes.Register("client", "all watches of the client library: no release",
	func(env *sim.Env, s *clientv3.Stream, p *wire.WatchResponse) {
		s.Deliver(env, p)
		for _, other := range s.Others(env) {
			if env.Noting() {
				env.Note(givenToOthers{p.Revision})
			}
			other.Deliver(env, p)
		}
	})

// givenToOthers: a notification is delivered to watches of another stream.
type givenToOthers struct{ revision int64 }

// Text implements sim.Note.
func (n givenToOthers) Text(*sim.World) string {
	return "gives progress " + strconv.FormatInt(n.revision, 10) + " to the watches of another stream, too"
}

// About implements sim.Subject.
func (n givenToOthers) About() sim.About { return sim.About{Revision: n.revision} }
