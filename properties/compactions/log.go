package compactions

import (
	"cmp"
	"slices"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// defaultInterval is DefaultCompactInterval of storagebackend/config.go.
const defaultInterval = 5 * time.Minute

// log is what the API servers have done to etcd's history so far, as the commits of
// etcd have it. It is kept once for all properties of the package.
type log struct {
	system *testbed.System
	// commits are all of etcd's, requests those among them that are about history.
	commits  []commit
	requests []request
	// failed is when the last fault was over.
	failed sim.Time
}

// commit is the revision of etcd from some time on.
type commit struct {
	at       sim.Time
	revision int64
}

// request is one of an API server: a try to be the one that compacts, or a compaction.
type request struct {
	commit
	// by is the compactor of the server.
	by   sim.NodeID
	kind kind
	// compacts is the revision of a compaction.
	compacts int64
}

type kind uint8

const (
	// lost: another server has written compact_rev_key since this one saw it last.
	lost kind = iota
	// won: the server has written the key, and may compact.
	won
	compacted
)

func logOf(s *testbed.System) *log {
	return testbed.Shared(s, func(s *testbed.System) *log { return &log{system: s} })
}

// intervals are the shortest and the longest time between two tries of an API server.
func intervals(s *testbed.System) (shortest, longest sim.Duration) {
	for _, c := range s.Caches() {
		for _, of := range c.Servers() {
			own := cmp.Or(of.Compactor.Interval, defaultInterval)
			if shortest == 0 || own < shortest {
				shortest = own
			}
			longest = max(longest, own)
		}
	}
	return shortest, longest
}

// Reset implements testbed.Observer.
func (l *log) Reset() {
	l.commits, l.requests, l.failed = l.commits[:0], l.requests[:0], 0
}

// Follows implements testbed.Follower.
func (*log) Follows(p testbed.Part) bool { return p == testbed.EtcdMember || p == testbed.TheWorld }

// AfterStep implements testbed.StepObserver.
func (l *log) AfterStep(w *sim.World, a sim.Action) {
	if a.Kind == sim.Inject {
		l.failed = w.Now()
		if o := l.system.Params().Faults; o.Clog {
			l.failed = max(l.failed, sim.Time(o.For))
		}
	}
	all := l.system.Etcd().Committed()
	for _, c := range all[len(l.commits):] {
		now := commit{w.Now(), c.Revision}
		before := l.newest()
		l.commits = append(l.commits, now)
		by := l.compactor(c.From)
		if by == 0 {
			continue
		}
		switch p := c.Request.(type) {
		case *wire.TxnRequest:
			r := request{commit: now, by: by}
			if now.revision > before {
				r.kind = won
			}
			l.requests = append(l.requests, r)
		case *wire.CompactionRequest:
			l.requests = append(l.requests, request{now, by, compacted, p.Revision})
		}
	}
}

// compactor is the one that calls etcd from a node, itself or through the client library
// of its process; 0 if none does.
func (l *log) compactor(from sim.NodeID) sim.NodeID {
	for _, server := range l.system.Topology().APIServers {
		if from == server.Client || from == server.Compactor {
			return server.Compactor
		}
	}
	return 0
}

// newest is the revision of etcd now.
func (l *log) newest() int64 {
	if n := len(l.commits); n > 0 {
		return l.commits[n-1].revision
	}
	return l.system.Truth().Log().First()
}

// newestAt is the revision of etcd at a time.
func (l *log) newestAt(t sim.Time) int64 {
	i, _ := slices.BinarySearchFunc(l.commits, t, func(c commit, t sim.Time) int {
		if c.at <= t {
			return -1
		}
		return 1
	})
	if i == 0 {
		return l.system.Truth().Log().First()
	}
	return l.commits[i-1].revision
}

// before is the last request of a kind before the i-th one, nil if there is none. by
// is the compactor that sent it, 0 for any.
func (l *log) before(i int, by sim.NodeID, kinds ...kind) *request {
	for i--; i >= 0; i-- {
		if r := &l.requests[i]; (by == 0 || r.by == by) && slices.Contains(kinds, r.kind) {
			return r
		}
	}
	return nil
}
