package caches

import (
	"cmp"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/testbed"
)

// ClientBounded looks at the client library of an API server after each of its steps.
// Kubernetes' watcher keeps at most incomingBufSize events of a watch, and lets the rest
// wait in etcd's client. What it has opened and does not hold any more nothing can close. A
// timer that is set for a call, a stream or a watch that is gone goes off when its number belongs to another one. It is
// exercised by each step after which a connection is open, a timer is set or a buffer is full.
var ClientBounded = testbed.RegisterProperty(&testbed.Property{
	Name: "client-bounded", Kind: testbed.Safety,
	Promise:  "A watch keeps no more events for its cache than its buffer holds, and each connection that a client library has opened, and each timer that it has set, belongs to a watch, a call or a list that it has.",
	Violated: "client keeps more than it may",
	Labels:   map[string]string{"events": "buffer holds more than its size", "connections": "connection without an owner", "timers": "timer without an owner"},
	Monitor:  testbed.Monitor{Runs: testbed.EveryRun},
	New:      testbed.Each(testbed.ClientLibrary, clientBounded),
})

func clientBounded(s *testbed.System, w *sim.World, place int, _ *struct{}, all *testbed.Tally) {
	node := s.Topology().APIServers[place].Client
	queued, size := s.ClientLibraries()[place].LongestQueue()
	open, forgotten := w.Opened(node)
	armed := w.Armed(node)
	if open > 0 || armed.Count() > 0 || queued >= size {
		all.Exercised++
	}
	at := testbed.Concern{Node: w.NodeName(node)}
	if of := w.Node(node).(*client.Client); len(of.Ownerless(armed)) > 0 {
		all.Violatef("timers", at, "the timer %q of %s is set for nothing that is there", of.TimerName(of.Ownerless(armed)[0]), at.Node)
	}
	if forgotten > 0 {
		all.Violatef("connections", at, "%s has %d connections open, and %d of them belong to no watch, no call and no list that it has", at.Node, open, forgotten)
	}
	if queued > size {
		all.Violatef("events", at, "%s keeps %d events of a watch in a buffer of %d", at.Node, queued, size)
	}
}

// ClientNothingLeft looks at the client library of each API server when nothing more can
// happen. Each of its watches must have a cache that holds the other end, and every call
// must have been answered. It is exercised by each client library once in a run that
// comes to rest.
var ClientNothingLeft = testbed.RegisterProperty(&testbed.Property{
	Name: "client-nothing-left", Kind: testbed.Safety, AfterRestore: true,
	Promise:  "When nothing more can happen, a client library holds the watches that caches have open, and nothing that still waits.",
	Violated: "left behind in the client",
	Labels:   map[string]string{"calls": "calls left in the client", "requests": "requests left in the client", "watches": "watches left in the client", "events": "events left in the client"},
	Monitor:  testbed.Monitor{Runs: testbed.Untimed, AtRest: true},
	New:      testbed.AtRest(clientNothingLeft),
})

func clientNothingLeft(s *testbed.System, w *sim.World, all *testbed.Tally) {
	for _, server := range s.Topology().APIServers {
		all.Exercised++
		h, name := w.Node(server.Client).(*client.Client).Holds(w), w.NodeName(server.Client)
		left := testbed.Wrong(testbed.Concern{Node: name},
			"nothing more can happen, and %s holds %d watches, %d of them without a cache and %d in the client library, and %d calls, %d requests and %d events that wait",
			name, h.Watches, h.Orphans, h.LibraryWatches, h.Calls, h.Waiting, h.Queued)
		switch {
		case h.Calls > 0:
			all.Violate("calls", left)
		case h.Waiting > 0:
			all.Violate("requests", left)
		case h.Orphans > 0 || h.LibraryWatches != h.Watches:
			all.Violate("watches", left)
		case h.Queued > 0:
			all.Violate("events", left)
		}
	}
}

// ReopensInTime looks at how long a client library waits before it opens a watch stream
// again that broke, timed: a millisecond and a quarter, and a quarter more with each
// further break of that stream, up to 100 ms (clientv3, backoffIfUnavailable). Without the
// pause a member that cannot serve is asked without an end; a longer one leaves every
// cache of the API server without events. It is exercised by each stream that is opened
// again.
var ReopensInTime = testbed.RegisterProperty(&testbed.Property{
	Name: "reopens-in-time", Kind: testbed.Liveness,
	Promise:  "A client library opens a watch stream that broke again after 1.25 ms, and after a quarter more with each further break, up to 100 ms, or as reopen-backoff and reopen-backoff-max say.",
	Violated: "stream reopened at a wrong time",
	Labels:   map[string]string{"soon": "stream opened without the pause", "late": "stream opened too late"},
	Monitor:  testbed.Monitor{Runs: testbed.Timed},
	New:      testbed.RecordedBy(func(s *testbed.System) reopens { return reopens{s} }, reopens.judge),
})

// These are upstream's (clientv3: watchGrpcStream.run, maxBackoff), unless reopen-backoff and
// reopen-backoff-max say otherwise.
const (
	firstBackoff = time.Millisecond
	maxBackoff   = 100 * time.Millisecond
)

type reopens struct{ system *testbed.System }

func (j reopens) judge(w *sim.World, all *testbed.Tally) {
	s := j.system
	for _, server := range s.Topology().APIServers {
		of := s.Cache(server.Caches[0]).Servers()
		for _, o := range w.Node(server.Client).(*client.Client).Outages() {
			if !o.Over {
				continue
			}
			all.Exercised++
			first, last := backoffAfter(of[0], o.Breaks), backoffAfter(of[len(of)-1], o.Breaks)
			shortest, longest := min(first, last), max(first, last)
			name, pause := w.NodeName(server.Client), o.Reopened.Sub(o.Broke)
			mistimed := func(label string, want time.Duration) {
				all.Violatef(label, testbed.Concern{Node: name}, "a watch stream of %s broke at %v, which is break number %d, and was opened again %v later; the pause is %v",
					name, o.Broke.Sub(0), o.Breaks, pause, want)
			}
			if pause < shortest {
				mistimed("soon", shortest)
			} else if pause > longest {
				mistimed("late", longest)
			}
		}
	}
}

func (reopens) Follows(p testbed.Part) bool { return p == testbed.ClientLibrary }

// Digest is how often streams have broken, and since when those are closed that may be opened again.
func (p reopens) Digest(d sim.Digest) sim.Digest {
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
