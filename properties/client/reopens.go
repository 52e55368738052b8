package client

import (
	"cmp"
	"fmt"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/client/clientv3"
	"github.com/watchbed/watchbed/testbed"
)

// ReopensInTime looks at how long a client library waits before it opens a watch stream
// again that broke, timed: a millisecond and a quarter, and a quarter more with each
// further break of that stream, up to 100 ms (clientv3, backoffIfUnavailable). Without the
// pause a member that cannot serve is asked without an end; a longer one leaves every
// cache of the API server without events. It is exercised by each stream that is opened
// again.
var ReopensInTime = testbed.RegisterProperty(&testbed.Property{
	Name: "reopens-in-time", Kind: testbed.Liveness,
	Promise:   "A client library opens a watch stream that broke again after 1.25 ms, and after a quarter more with each further break, up to 100 ms, or as reopen-backoff and reopen-backoff-max say.",
	Violated:  "stream reopened at a wrong time",
	Labels:    map[string]string{"soon": "stream opened without the pause", "late": "stream opened too late"},
	TimedPast: func(s *testbed.System) testbed.Past { return outagesPast{s} },
	New:       func(s *testbed.System) testbed.Judge { return &reopensInTime{s} },
})

// These are upstream's (clientv3: watchGrpcStream.run, maxBackoff), unless reopen-backoff and
// reopen-backoff-max say otherwise.
const (
	firstBackoff = time.Millisecond
	maxBackoff   = 100 * time.Millisecond
)

type reopensInTime struct{ system *testbed.System }

// Reset implements testbed.Judge.
func (*reopensInTime) Reset() {}

// Finding implements testbed.Judge.
func (j *reopensInTime) Finding(w *sim.World) explore.Finding {
	var all testbed.Tally
	for _, server := range j.system.Topology().APIServers {
		of := j.system.Cache(server.Caches[0]).Servers()
		for _, o := range w.Node(server.Client).(*client.Client).Outages() {
			if !o.Over {
				continue
			}
			all.Exercised++
			shortest, longest := backoffAfter(of[0], o.Breaks), backoffAfter(of[len(of)-1], o.Breaks)
			if shortest > longest {
				shortest, longest = longest, shortest
			}
			switch pause := o.Reopened.Sub(o.Broke); {
			case pause < shortest:
				all.Violate("soon", &mistimedReopening{w.NodeName(server.Client), o, shortest})
			case pause > longest:
				all.Violate("late", &mistimedReopening{w.NodeName(server.Client), o, longest})
			}
		}
	}
	return all.Finding()
}

// outagesPast is how often streams have broken, and since when those are closed that may be opened again.
type outagesPast struct{ system *testbed.System }

// Follows implements testbed.Follower.
func (outagesPast) Follows(p testbed.Part) bool { return p == testbed.ClientLibrary }

// Digest implements testbed.Past.
func (p outagesPast) Digest(d sim.Digest) sim.Digest {
	for _, c := range p.system.ClientLibraries() {
		for _, o := range c.Outages() {
			d = d.Int(int64(o.Breaks)).Bool(o.Over)
			if !o.Over {
				d = d.Int(int64(o.Broke))
			}
		}
	}
	return d
}

// backoffAfter is the pause after so many breaks of a stream of an API server.
func backoffAfter(of *testbed.Server, breaks int) time.Duration {
	o := &of.Client.Library.Amounts
	d := cmp.Or(o.WatchBackoff, firstBackoff)
	for range breaks {
		d = min(d+d/4, cmp.Or(o.WatchBackoffMax, maxBackoff))
	}
	return d
}

// mistimedReopening is a stream that was opened again at the wrong time.
type mistimedReopening struct {
	name   string
	outage clientv3.Outage
	want   time.Duration
}

func (m *mistimedReopening) String() string {
	return fmt.Sprintf("a watch stream of %s broke at %v, for the %d. time, and was opened again %v later; the pause is %v",
		m.name, m.outage.Broke.Sub(0), m.outage.Breaks, m.outage.Reopened.Sub(m.outage.Broke), m.want)
}

// Concerns implements explore.Concerned.
func (m *mistimedReopening) Concerns() explore.Concern { return explore.Concern{Node: m.name} }
