package etcdapi

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed"
)

// moment is what etcd was like after a step.
type moment struct{ revision, compacted int64 }

// moments is what the member of etcd was like that clients asked, when they asked and when
// they were answered.
type moments struct {
	system *testbed.System
	// operations[i] are those of client i of the history, streams[i] is what stream i
	// has sent and was sent.
	operations [][]call
	streams    []streamMoments
}

// call is when an operation was asked, and when it was answered, or until when it has
// waited.
type call struct {
	// ofEtcd: it was asked of etcd, and not of a cache.
	ofEtcd          bool
	asked, answered moment
}

// streamMoments is when requests for watches were sent, and when responses came.
// Requests that begin the stream come before later ones.
type streamMoments struct {
	creates, later, responses []moment
}

func momentsOf(s *testbed.System) *moments {
	return testbed.Shared(s, func(s *testbed.System) *moments {
		return &moments{system: s, operations: make([][]call, len(s.Clients())), streams: make([]streamMoments, len(s.Streams()))}
	})
}

// Reset implements testbed.Observer.
func (m *moments) Reset() {
	for i := range m.operations {
		m.operations[i] = m.operations[i][:0]
	}
	for i := range m.streams {
		s := &m.streams[i]
		s.creates, s.later, s.responses = s.creates[:0], s.later[:0], s.responses[:0]
	}
}

// AfterStep implements testbed.StepObserver.
func (m *moments) AfterStep(*sim.World, sim.Action) {
	now := momentOf(m.system.Etcd())
	for i, c := range m.system.Clients() {
		n := len(c.Operations())
		if n > len(m.operations[i]) {
			m.operations[i] = append(m.operations[i], call{c.Asked() == m.system.Topology().Etcd, now, now})
		}
		if n > 0 && c.Waiting() {
			m.operations[i][n-1].answered = now
		}
	}
	members := m.system.Members()
	if serves := members[len(members)-1].Server; serves != m.system.Etcd() {
		now = momentOf(serves)
	}
	for i, c := range m.system.Streams() {
		s := &m.streams[i]
		creates, later := c.Sent()
		s.creates = upTo(s.creates, creates, now)
		s.later = upTo(s.later, later, now)
		s.responses = upTo(s.responses, len(c.Responses()), now)
	}
}

func momentOf(s *etcd.Server) moment { return moment{s.Revision(), s.CompactRevision()} }

// upTo adds moments until there are n.
func upTo(all []moment, n int, now moment) []moment {
	for len(all) < n {
		all = append(all, now)
	}
	return all
}
