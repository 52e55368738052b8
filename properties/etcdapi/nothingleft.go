package etcdapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// NothingLeft looks at each server of etcd when nothing more can happen. What it still has in memory on behalf of
// clients must have a client: each watch stream, and each stream of another member, an open connection. No call and
// no response waits, every watcher is synced unless its history is compacted, and a stream keeps nothing for a watch
// that has ended. The watches of a stream are its client's watches there, with the same range, options and
// beginning: one more is a leak, one less is dead and its client does not know. The leases are the granted leases
// that were not revoked. A watch whose caller had gone when it was created is none of its client's, which cancels
// it when a response comes (clientv3, the nil in resuming): it is a leak from then on. clientv3 keeps a stream open for
// the same reason if all watches on it were cancelled while it was opened again: etcd learns of that one by its first
// request. It is exercised by each server once in a run that comes to rest.
var NothingLeft = testbed.RegisterProperty(&testbed.Property{
	Name: "etcd-nothing-left", Kind: testbed.Safety, Inside: true, AfterRestore: true,
	Promise:  "When nothing more can happen, etcd holds no call, no response and no option of a watch that ended, as many streams as clients have open, exactly the watches that clients have on them, the leases that were not revoked, and no key that was deleted before the compacted revision.",
	Violated: "left behind in etcd",
	Labels: map[string]string{
		"calls": "calls left in etcd", "streams": "streams left in etcd", "responses": "responses left in etcd", "watches": "watches left in etcd",
		"leaked": "watch that no client has", "dead": "watch that etcd does not have", "other": "watch is not as asked for", "leases": "leases differ", "ghosts": "compacted keys left in the index",
	},
	Monitor: testbed.Monitor{Runs: testbed.Untimed, AtRest: true},
	New:     testbed.AtRestBy(func(s *testbed.System) leftovers { return leftovers{s} }, leftovers.judge),
})

type leftovers struct{ system *testbed.System }

func (j leftovers) judge(w *sim.World, all *testbed.Tally) {
	s := j.system
	for _, m := range s.Members() {
		all.Exercised++
		held, open := m.Held(), w.Accepted(m.ID)
		left := testbed.Wrong(testbed.Concern{Node: m.Name, Revision: held.WaitingFrom},
			"nothing more can happen, and %s has %s and still holds %s", m.Name, sim.Some(open, "open connection"), holds(&held))
		switch {
		case held.Calls > 0:
			all.Violate("calls", left)
		case held.Streams+held.Followers > open:
			all.Violate("streams", left)
		case held.Streams+held.Followers < open-silent(s, w, m.ID):
			all.Violatef("streams", testbed.Concern{Node: m.Name},
				"nothing more can happen, and %s has %s (from %s) and streams on %d: on each of the others an answer or an end does not come",
				m.Name, sim.Some(open, "open connection"), strings.Join(w.AcceptedFrom(m.ID), ", "), held.Streams+held.Followers)
		case held.Waiting > 0:
			all.Violate("responses", left)
		case held.Unknown > 0:
			all.Violate("watches", left)
		case held.Ghosts > 0:
			all.Violate("ghosts", left)
		case m.SeesInside():
			leasesAgree(s, &m, all)
		}
	}
	watchesAgree(s, w, all)
}

// holds says what a server holds.
func holds(h *etcd.Held) string {
	var all []string
	for _, of := range []struct {
		n    int
		what string
	}{
		{h.Calls, "calls without an answer"}, {h.Streams, "watch streams"}, {h.Followers, "streams of members"}, {h.Waiting, "responses or watches that wait"},
		{h.Unknown, "watches that ended"}, {h.Ghosts, "keys that were deleted before the compacted revision"},
	} {
		if of.n > 0 {
			all = append(all, fmt.Sprintf("%s: %d", of.what, of.n))
		}
	}
	if len(all) == 0 {
		return "nothing"
	}
	text := strings.Join(all, ", ")
	if h.Call != "" {
		text += ". The first of the calls is " + h.Call
	}
	return text
}

// silent is how many streams client libraries have open to a server for no watch.
func silent(s *testbed.System, w *sim.World, server sim.NodeID) (n int) {
	for _, c := range s.Libraries() {
		c.WithoutWatches(func(stream sim.Conn) {
			if w.IsAccepted(server, stream) {
				n++
			}
		})
	}
	return n
}

func (j leftovers) Follows(p testbed.Part) bool {
	return p == testbed.ClientLibrary || p == testbed.CacheNode && slices.ContainsFunc(j.system.Caches(), func(c *testbed.Cache) bool { return c.Server().Design.SpeaksEtcd })
}

// Digest is how many watches of client libraries etcd may have that these do not: which they are follows from the
// state of etcd.
func (j leftovers) Digest(d sim.Digest) sim.Digest {
	for _, c := range j.system.Libraries() {
		d = d.Int(int64(c.Abandoned()))
	}
	return d
}

// watch is one as one of its two sides has it.
type watch struct {
	side   string
	stream sim.Conn
	wire.WatchCreateRequest
	// orphan: the client knows that nothing is left of it. ending: the client has still to take that it has ended.
	orphan, ending bool
}

func (w *watch) is(other watch) bool {
	return w.stream == other.stream && w.WatchID == other.WatchID
}

// watchesAgree compares the watches of etcd with those of clients, both ways.
func watchesAgree(s *testbed.System, world *sim.World, all *testbed.Tally) {
	var servers, clients []watch
	for _, m := range s.Members() {
		if !m.SeesInside() {
			return
		}
		m.Server.Watches(func(stream sim.Conn, r wire.WatchCreateRequest) {
			servers = append(servers, watch{side: m.Name, stream: stream, WatchCreateRequest: r})
		})
	}
	for node, c := range s.Libraries() {
		name := world.NodeName(node)
		c.Watches(func(stream sim.Conn, r wire.WatchCreateRequest, ending bool) {
			clients = append(clients, watch{side: name, stream: stream, WatchCreateRequest: r, ending: ending})
		})
		for j := range servers {
			servers[j].orphan = servers[j].orphan || c.WasAbandoned(servers[j].stream, servers[j].WatchID)
		}
	}
	for _, c := range s.Streams() {
		for _, of := range c.Watches(s.WatchRules()) {
			if c.IsLive(of) {
				r := *of.WatchCreateRequest
				r.WatchID = of.ID
				clients = append(clients, watch{side: c.Name(), stream: c.Conn(), WatchCreateRequest: r})
			}
		}
	}
	for i := range servers {
		w := &servers[i]
		at := slices.IndexFunc(clients, w.is)
		switch {
		case at >= 0:
			compareWatches(&clients[at], w, all)
		case !w.orphan:
			violated(all, "leaked", w, "%s holds a watch that its client does not have: %v", w.side, w)
		}
	}
	for i := range clients {
		if w := &clients[i]; !w.ending && !slices.ContainsFunc(servers, w.is) {
			violated(all, "dead", w, "%s waits for responses to a watch that etcd does not have: %v", w.side, w)
		}
	}
}

// compareWatches compares a watch as its client has it with what etcd has.
func compareWatches(client, server *watch, all *testbed.Tally) {
	asked, has := client.WatchCreateRequest, server.WatchCreateRequest
	if asked.Key == "" {
		// \0 is the smallest key.
		asked.Key = "\x00"
	}
	if asked.StartRevision == 0 {
		// What comes next begins behind the answer.
		asked.StartRevision = has.StartRevision
	}
	if asked.RequireLeader = has.RequireLeader; asked != has {
		violated(all, "other", server, "%s has a watch that %s has asked for otherwise: %v in place of %v", server.side, client.side, server, client)
	}
}

func violated(all *testbed.Tally, label string, w *watch, format string, args ...any) {
	all.Violatef(label, testbed.Concern{Node: w.side, Key: w.Key}, "nothing more can happen, and "+format, args...)
}

func (w *watch) String() string {
	text := fmt.Sprintf("watch %d of %q", w.WatchID, w.Key)
	if w.RangeEnd != "" {
		text += fmt.Sprintf(" up to %q", w.RangeEnd)
	}
	text += fmt.Sprintf(" from revision %d", w.StartRevision)
	for _, of := range []struct {
		is   bool
		what string
	}{
		{w.ProgressNotify, "progress notifications"}, {w.PrevKv, "previous values"}, {w.Fragment, "fragments"},
		{w.Filters&wire.NoPut != 0, "no puts"}, {w.Filters&wire.NoDelete != 0, "no deletions"},
	} {
		if of.is {
			text += ", " + of.what
		}
	}
	return text
}

// leasesAgree compares the leases of a member that has applied all with the granted leases that were not revoked.
func leasesAgree(s *testbed.System, m *testbed.Member, all *testbed.Tally) {
	var has []model.Lease
	for _, l := range m.Server.Leases() {
		has = append(has, model.Lease{ID: l.ID, TTL: l.TTL})
	}
	same := func(a, b model.Lease) bool { return a.ID == b.ID && a.TTL == b.TTL }
	if t := s.Truth(); !slices.EqualFunc(has, t.At(t.Revision()).Leases(), same) {
		all.Violatef("leases", testbed.Concern{Node: m.Name}, "nothing more can happen, and %s holds the leases %s; those that were granted and not revoked are %s",
			m.Name, leases(has), leases(t.At(t.Revision()).Leases()))
	}
}

func leases(all []model.Lease) string {
	var text []string
	for _, l := range all {
		text = append(text, fmt.Sprintf("%d of %d s", l.ID, l.TTL))
	}
	return "[" + strings.Join(text, ", ") + "]"
}
