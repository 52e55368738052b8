package caches

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

// moments is what the caches and etcd were like when clients asked, and when they
// were answered. Times are numbers of steps.
type moments struct {
	system *testbed.System
	// notified is how many progress notifications caches had taken in after the last
	// step.
	notified uint64
	// caches are by their place in System.Caches.
	caches []cacheMoment
	// revisions are those that etcd has come to in the run, in their order.
	revisions []revisionMoment
	// operations[i] are those of client i of the history, watches[i] the streams of
	// watcher i: the watchers, then the list watchers, then those that draw their watches.
	operations, watches [][]moment
	// roles are those of the nodes, by their numbers; begun: the run has had a step.
	roles []role
	begun bool
}

// role is what a step of a node can change of what moments know.
type role uint8

const (
	// unseen is a node that was not looked at yet.
	unseen role = iota
	// bystander: nothing.
	bystander
	// member is one of etcd: its revision.
	member
	// holder is a cache: what it holds.
	holder
	// asker is a client: what it waits for.
	asker
)

// cacheMoment is what is known of a cache so far.
type cacheMoment struct {
	ready bool
	// unready is the last step after which it was not ready, behind the last one
	// after which it was older than etcd.
	unready, behind int
	// trusted is the last step after which it trusted etcd's progress, untrusted the
	// last one after which it did not.
	trusted, untrusted int
	// heard is the last step in which it took in a progress notification.
	heard int
	// since is when it was last found not ready after it had been, or the start.
	since sim.Time
	// crowded is the last step after which several clients waited for its answers.
	crowded int
	// listed is its resourceVersion when it became ready: that of its list.
	listed int64
}

// revisionMoment is when etcd came to a revision.
type revisionMoment struct {
	revision int64
	at       sim.Time
}

// moment is what was known when a client asked, and when it was answered.
type moment struct {
	// cache is the one that was asked, -1 for etcd.
	cache int
	// server is what the API server was made of that was asked, nil for etcd.
	server *testbed.Server
	// request is what was asked for; nil for a watch. client and number say which
	// operation of the history it is.
	request        sim.Payload
	client, number int
	// asked is the step of the request. etcd and version are the revision of etcd and
	// the resourceVersion of the cache after it, askedAt and downSince the time, and
	// since when the cache was not ready, if it was not.
	asked              int
	etcd, version      int64
	askedAt, downSince sim.Time
	// over: the answer has come, in the step answered. The following are of that step.
	over                       bool
	answered                   int
	unready, behind, crowded   int
	trusted, untrusted, heard  int
	listed                     int64
	newest, compacted          int64
	cacheCompacted             int64
	answeredAt, downLaterSince sim.Time
}

func momentsOf(s *testbed.System) *moments {
	return testbed.Shared(s, func(s *testbed.System) *moments {
		return &moments{
			system: s, caches: make([]cacheMoment, len(s.Caches())),
			operations: make([][]moment, len(s.Clients())),
			watches:    make([][]moment, len(s.Watchers())+len(s.ListWatchers())+len(s.DrawnWatchers())),
		}
	})
}

// Reset implements testbed.Observer.
func (m *moments) Reset() {
	m.notified, m.begun = 0, false
	clear(m.caches)
	m.revisions = m.revisions[:0]
	for i := range m.operations {
		m.operations[i] = m.operations[i][:0]
	}
	for i := range m.watches {
		m.watches[i] = m.watches[i][:0]
	}
}

// AfterStep implements testbed.StepObserver. What a step cannot have changed is not
// looked at again: clients ask and are answered in steps of their own, and what a cache
// was like in between is what it was like after the last step of a cache or of etcd.
func (m *moments) AfterStep(w *sim.World, a sim.Action) {
	step := asker
	if m.begun && a.Kind != sim.Inject {
		step = m.roleOf(w, a.Node)
	}
	m.begun = true
	switch step {
	case bystander:
	case member:
		if m.newRevision(w) {
			m.lookAtCaches(w, a.Node)
		}
	case holder:
		m.newRevision(w)
		m.lookAtCaches(w, a.Node)
	default:
		m.newRevision(w)
		m.lookAtCaches(w, a.Node)
		m.lookAtCrowds(w.Steps())
		m.lookAtClients(w)
	}
}

// roleOf is the role of a node, which is the same in all runs.
func (m *moments) roleOf(w *sim.World, n sim.NodeID) role {
	for int(n) >= len(m.roles) {
		m.roles = append(m.roles, unseen)
	}
	if m.roles[n] == unseen {
		m.roles[n] = bystander
		switch w.Node(n).(type) {
		case *etcd.Server:
			m.roles[n] = member
		case *workload.Client, *workload.Watcher, *workload.ListWatcher, *workload.DrawnWatcher:
			m.roles[n] = asker
		}
		if m.cacheOf(n) >= 0 {
			m.roles[n] = holder
		}
	}
	return m.roles[n]
}

// newRevision reports whether etcd has come to another revision, and keeps when.
func (m *moments) newRevision(w *sim.World) bool {
	revision := m.system.Etcd().Revision()
	if n := len(m.revisions); n > 0 && m.revisions[n-1].revision >= revision {
		return false
	}
	m.revisions = append(m.revisions, revisionMoment{revision, w.Now()})
	return true
}

func (m *moments) lookAtCaches(w *sim.World, stepped sim.NodeID) {
	notified := w.Count(cache.ProgressNotified)
	now, revision := w.Steps(), m.system.Etcd().Revision()
	for i, c := range m.system.Caches() {
		of := &m.caches[i]
		ready := c.Ready()
		if !ready {
			of.unready = now
			if of.ready {
				of.since = w.Now()
			}
		} else if !of.ready && c.Mirror != nil {
			of.listed = c.Mirror.ResourceVersion()
		}
		of.ready = ready
		if c.Mirror == nil || c.Mirror.ResourceVersion() < revision {
			of.behind = now
		}
		if notified > m.notified && stepped == c.ID {
			of.heard = now
		}
		if n, checks := c.Node.(cache.Trusting); checks && !n.TrustsProgress() {
			of.untrusted = now
		} else {
			of.trusted = now
		}
	}
	m.notified = notified
}

// lookAtCrowds: clients are not answered in steps of a cache, but in their own.
func (m *moments) lookAtCrowds(now int) {
	for i, c := range m.system.Caches() {
		if m.waiting(c.ID) > 1 {
			m.caches[i].crowded = now
		}
	}
}

func (m *moments) lookAtClients(w *sim.World) {
	for i, c := range m.system.Clients() {
		n := len(c.Operations())
		over := n > 0 && c.Spans()[n-1].Answered
		m.operations[i] = m.take(w, m.operations[i], n, c.Asked(), over)
		if n > 0 {
			at := &m.operations[i][n-1]
			at.request, at.client, at.number = c.Request(), i, n-1
		}
	}
	for i, c := range m.system.Watchers() {
		m.watches[i] = m.take(w, m.watches[i], len(c.Streams()), c.To(), lastFailed(c.Streams()))
	}
	at := len(m.system.Watchers())
	for i, c := range m.system.ListWatchers() {
		m.streams(w, at+i, c.Streams())
	}
	at += len(m.system.ListWatchers())
	for i, c := range m.system.DrawnWatchers() {
		m.streams(w, at+i, c.Streams())
	}
}

// streams adds the moment of the last watch of a client.
func (m *moments) streams(w *sim.World, at int, all []workload.ListStream) {
	over, to := false, sim.NodeID(0)
	if n := len(all); n > 0 {
		over, to = failed(all[n-1].Events) != nil, all[n-1].To
	}
	m.watches[at] = m.take(w, m.watches[at], len(all), to, over)
}

func lastFailed(streams []workload.Stream) bool {
	return len(streams) > 0 && failed(streams[len(streams)-1].Events) != nil
}

// take adds the moment of the last of n requests, which may be over.
func (m *moments) take(w *sim.World, all []moment, n int, asked sim.NodeID, over bool) []moment {
	for len(all) < n {
		at := moment{cache: m.cacheOf(asked), asked: w.Steps(), askedAt: w.Now(), etcd: m.system.Etcd().Revision()}
		if at.cache >= 0 {
			at.version, at.downSince = m.version(at.cache), m.caches[at.cache].since
			at.server = m.system.Caches()[at.cache].Server
		}
		all = append(all, at)
	}
	if n == 0 || !over || all[n-1].over {
		return all
	}
	at := &all[n-1]
	at.over, at.answered, at.answeredAt = true, w.Steps(), w.Now()
	at.newest, at.compacted = m.system.Etcd().Revision(), m.system.Etcd().CompactRevision()
	if at.cache >= 0 {
		of := &m.caches[at.cache]
		at.unready, at.behind, at.crowded = of.unready, of.behind, of.crowded
		if c := m.system.Caches()[at.cache].Compacting; c != nil {
			at.cacheCompacted = c.CompactRevision()
		}
		at.trusted, at.untrusted, at.heard = of.trusted, of.untrusted, of.heard
		at.listed, at.downLaterSince = of.listed, of.since
	}
	return all
}

// waiting is how many clients of the history wait for an answer of a node.
func (m *moments) waiting(node sim.NodeID) int {
	n := 0
	for _, c := range m.system.Clients() {
		if c.Asked() == node && !c.Spans()[len(c.Spans())-1].Answered {
			n++
		}
	}
	return n
}

func (m *moments) cacheOf(id sim.NodeID) int {
	for i, c := range m.system.Caches() {
		if c.ID == id {
			return i
		}
	}
	return -1
}

// version is the resourceVersion of a cache, 0 of one that does not show it.
func (m *moments) version(cache int) int64 {
	if of := m.system.Caches()[cache].Mirror; of != nil {
		return of.ResourceVersion()
	}
	return 0
}

// reached is when etcd came to a revision, false if it has not.
func (m *moments) reached(revision int64) (sim.Time, bool) {
	for _, r := range m.revisions {
		if r.revision >= revision {
			return r.at, true
		}
	}
	return 0, false
}

// wasReady reports whether the cache was ready from the request to the answer.
func (at *moment) wasReady() bool { return at.unready < at.asked }

// wasCurrent reports whether the cache was as new as etcd all that time.
func (at *moment) wasCurrent() bool { return at.behind < at.asked }

// wasAlone reports whether no other client of the history waited for the cache in that
// time.
func (at *moment) wasAlone() bool { return at.crowded < at.asked }

// trustedEtcd reports whether the cache trusted etcd's progress all that time,
// distrustedEtcd whether it never did.
func (at *moment) trustedEtcd() bool { return at.untrusted < at.asked }

func (at *moment) distrustedEtcd() bool { return at.trusted < at.asked }
