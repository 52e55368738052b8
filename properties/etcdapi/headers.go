package etcdapi

import (
	"cmp"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/evidence"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// Headers judges what the header of an answer says beside the revision, by which clients notice that they talk to
// another cluster, or to a member that was left behind (patroni, raft_term). The order of answers is that of their
// requests: an answer that came before the request of another one has no later term, and an earlier one if the member
// had no leader in between. Of responses of watches the term is not judged: they wait in two queues. Where members take
// each other's place at one node its id may change. It is exercised by answers and responses.
var Headers = testbed.RegisterProperty(&testbed.Property{
	Name: "etcd-headers", Kind: testbed.Safety, Inside: true,
	Promise:  "Each answer of etcd names the one cluster and the member that gave it, and a raft term that never goes back on a member, and is a later one after a time without a leader.",
	Violated: "wrong header",
	Labels:   map[string]string{"missing": "answer without a header", "cluster": "wrong cluster", "member": "wrong member", "term": "wrong raft term"},
	New:      evidence.With(testbed.Each(testbed.EtcdMember, leaderComes)),
})

// terms is what is known of the leaders of a member.
type terms struct {
	lost bool
	// began are the steps in which there was a leader again.
	began []int
}

func leaderComes(s *testbed.System, w *sim.World, member int, t *terms, _ *testbed.Tally) {
	m := s.Members()[member]
	switch has := m.Server.HasLeader(); {
	case m.Server.CutOff():
		// The others have had a leader all the time.
		t.lost = false
	case t.lost && has:
		t.began = append(t.began, w.Steps())
		fallthrough
	default:
		t.lost = !has
	}
}

// answer is one of a member, with the steps in which it was asked for and came.
type answer struct {
	client      string
	asked, came int
	header      *wire.Header
}

// Conclude judges the answers of a member.
func (t *terms) Conclude(s *testbed.System, _ *sim.World, member int, all *testbed.Tally) {
	m, one, cluster, other := s.Members()[member], int64(0), int64(0), int64(0)
	if s.Params().Faults.Failovers > 0 {
		one = -1
	}
	var came []answer
	for o := range s.Operations() {
		at, h := evidence.Of(s).Of(o), o.Span.Header
		if !s.Topology().IsEtcd(at.To) || o.Outcome != model.Done {
			continue
		}
		if h != nil && cluster == 0 {
			cluster = h.ClusterID
		}
		switch {
		case h != nil && at.To != m.ID:
			other = h.MemberID
		case at.To == m.ID:
			came = append(came, answer{o.Client.Name(), at.Asked.Step, at.Answered.Step, h})
		}
	}
	calls := len(came)
	if m.ID == s.Topology().Watches && m.SeesInside() {
		for _, c := range s.Streams() {
			for k := range c.Responses() {
				came = append(came, answer{client: c.Name(), header: c.Responses()[k].Header})
			}
		}
	}
	for i, a := range came {
		all.Exercised++
		if a.header == nil {
			all.Violatef("missing", testbed.Concern{Node: a.client}, "%s was answered by %s without a header", a.client, m.Name)
			continue
		}
		one, cluster = cmp.Or(one, a.header.MemberID), cmp.Or(cluster, a.header.ClusterID)
		switch {
		case a.header.ClusterID != cluster:
			all.Violatef("cluster", testbed.Concern{Node: a.client}, "%s was answered by cluster %d, and there is cluster %d only", a.client, a.header.ClusterID, cluster)
		case one > 0 && a.header.MemberID != one:
			all.Violatef("member", testbed.Concern{Node: a.client}, "%s was answered by %s, which said that it was member %d and then that it was member %d",
				a.client, m.Name, one, a.header.MemberID)
		case a.header.MemberID == other:
			all.Violatef("member", testbed.Concern{Node: a.client}, "%s was answered by %s, which said that it was member %d, and so did another one", a.client, m.Name, other)
		case i < calls:
			t.compare(a, came[:calls], m.Name, all)
		}
	}
}

// compare holds the term of an answer against those of answers before its request.
func (t *terms) compare(a answer, came []answer, member string, all *testbed.Tally) {
	for _, b := range came {
		if b.header == nil || b.came >= a.asked {
			continue
		}
		least := b.header.RaftTerm
		for _, step := range t.began {
			if b.came < step && step < a.asked {
				least++
			}
		}
		if a.header.RaftTerm < least {
			all.Violatef("term", testbed.Concern{Node: a.client}, "%s was answered by %s in term %d, and after an earlier answer in term %d it is in term %d at least",
				a.client, member, a.header.RaftTerm, b.header.RaftTerm, least)
			return
		}
	}
}
