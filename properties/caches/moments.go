package caches

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

// moments is what the caches and etcd were like when clients asked, and when they
// were answered. Times are numbers of steps.
type moments struct {
	system *testbed.System
	// caches are by their place in System.Caches.
	caches []cacheMoment
	// operations[i] are those of client i of the history, watches[i] the streams of
	// watcher i, the list watchers behind the watchers.
	operations, watches [][]moment
}

// cacheMoment is what is known of a cache so far.
type cacheMoment struct {
	ready bool
	// unready is the last step after which it was not ready, behind the last one
	// after which it was older than etcd.
	unready, behind int
	// listed is its resourceVersion when it became ready: that of its list.
	listed int64
}

// moment is what was known when a client asked, and when it was answered.
type moment struct {
	// cache is the one that was asked, -1 for etcd.
	cache int
	// asked is the step of the request. etcd and version are the revision of etcd and
	// the resourceVersion of the cache after it.
	asked         int
	etcd, version int64
	// over: the answer has come. The following are of that step.
	over              bool
	unready, behind   int
	listed            int64
	newest, compacted int64
}

func momentsOf(s *testbed.System) *moments {
	return testbed.Shared(s, func(s *testbed.System) *moments {
		return &moments{
			system: s, caches: make([]cacheMoment, len(s.Caches())),
			operations: make([][]moment, len(s.Clients())),
			watches:    make([][]moment, len(s.Watchers())+len(s.ListWatchers())),
		}
	})
}

// Reset implements testbed.Observer.
func (m *moments) Reset() {
	clear(m.caches)
	for i := range m.operations {
		m.operations[i] = m.operations[i][:0]
	}
	for i := range m.watches {
		m.watches[i] = m.watches[i][:0]
	}
}

// AfterStep implements testbed.StepObserver.
func (m *moments) AfterStep(w *sim.World, _ sim.Action) {
	now, etcd := w.Steps(), m.system.Etcd().Revision()
	for i, c := range m.system.Caches() {
		of := &m.caches[i]
		ready := c.Ready()
		if !ready {
			of.unready = now
		} else if !of.ready && c.Mirror != nil {
			of.listed = c.Mirror.ResourceVersion()
		}
		of.ready = ready
		if c.Mirror == nil || c.Mirror.ResourceVersion() < etcd {
			of.behind = now
		}
	}
	for i, c := range m.system.Clients() {
		n := len(c.Operations())
		over := n > 0 && c.Spans()[n-1].Answered
		m.operations[i] = m.take(now, m.operations[i], n, c.Asked(), over)
	}
	for i, c := range m.system.Watchers() {
		m.watches[i] = m.take(now, m.watches[i], len(c.Streams()), c.To(), lastFailed(c.Streams()))
	}
	for i, c := range m.system.ListWatchers() {
		n := len(c.Streams())
		over, to := false, sim.NodeID(0)
		if n > 0 {
			s := &c.Streams()[n-1]
			over, to = failed(s.Events) != nil, s.To
		}
		at := len(m.system.Watchers()) + i
		m.watches[at] = m.take(now, m.watches[at], n, to, over)
	}
}

func lastFailed(streams []workload.Stream) bool {
	return len(streams) > 0 && failed(streams[len(streams)-1].Events) != nil
}

// take adds the moment of the last of n requests, which may be over.
func (m *moments) take(now int, all []moment, n int, asked sim.NodeID, over bool) []moment {
	for len(all) < n {
		at := moment{cache: m.cacheOf(asked), asked: now, etcd: m.system.Etcd().Revision()}
		if at.cache >= 0 {
			at.version = m.version(at.cache)
		}
		all = append(all, at)
	}
	if n == 0 || !over || all[n-1].over {
		return all
	}
	at := &all[n-1]
	at.over = true
	at.newest, at.compacted = m.system.Etcd().Revision(), m.system.Etcd().CompactRevision()
	if at.cache >= 0 {
		of := &m.caches[at.cache]
		at.unready, at.behind, at.listed = of.unready, of.behind, of.listed
	}
	return all
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

// wasReady reports whether the cache was ready from the request to the answer.
func (at *moment) wasReady() bool { return at.unready < at.asked }

// wasCurrent reports whether the cache was as new as etcd all that time.
func (at *moment) wasCurrent() bool { return at.behind < at.asked }
