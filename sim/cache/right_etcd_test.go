package cache_test

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// rightEtcd is an etcd with its client that keeps every promise: simple instead
// of true to life. It commits by itself as often as commits says.
type rightEtcd struct {
	sim.Idle
	commits   int
	rev       int64
	compacted int64
	// log[rev] is the change under the prefix that a revision made, nil if it
	// was elsewhere.
	log     []*wire.WatchEvent
	streams []rightStream
	// early makes it break one promise: progress is reported before the events
	// are sent (etcd #15220).
	early bool
}

type rightStream struct {
	conn  sim.Conn
	next  int64
	asked bool
}

const (
	rightCommit sim.Task = iota
	rightFeed
)

var rightKeys = []string{prefix + "a", prefix + "b", prefix + "c"}

func (s *rightEtcd) Start(env *sim.Env) {
	s.rev = 1
	s.log = make([]*wire.WatchEvent, 2)
	env.Enable(rightCommit)
}

// at is the contents at a revision, in key order.
func (s *rightEtcd) at(rev int64) (all []*wire.KeyValue) {
	for _, e := range s.log[:rev+1] {
		if e == nil {
			continue
		}
		all = slices.DeleteFunc(all, func(kv *wire.KeyValue) bool { return kv.Key == e.Item.Key })
		if e.Type != wire.Deleted {
			all = append(all, e.Item)
		}
	}
	slices.SortFunc(all, func(a, b *wire.KeyValue) int { return strings.Compare(a.Key, b.Key) })
	return all
}

func (s *rightEtcd) commit(env *sim.Env) {
	s.rev++
	s.log = append(s.log, nil)
	k := env.Choose(len(rightKeys)+1, "key")
	if k == len(rightKeys) {
		return
	}
	all := s.at(s.rev)
	e := &wire.WatchEvent{Type: wire.Added, ResourceVersion: s.rev}
	e.Item = &wire.KeyValue{Key: rightKeys[k], CreateRevision: s.rev, ModRevision: s.rev, Version: 1}
	if i := slices.IndexFunc(all, func(kv *wire.KeyValue) bool { return kv.Key == rightKeys[k] }); i >= 0 {
		e.Prev = all[i]
		if env.Choose(2, "delete") == 1 {
			e.Type, e.Item = wire.Deleted, e.Prev
		} else {
			e.Type, e.Item.CreateRevision, e.Item.Version = wire.Modified, e.Prev.CreateRevision, e.Prev.Version+1
		}
	}
	s.log[s.rev] = e
}

// cellEtcd is its state.
var cellEtcd = sim.NewCell("cache test: etcd")

func (s *rightEtcd) Receive(env *sim.Env, m *sim.Message) {
	env.Write(cellEtcd, 0)
	switch p := m.Payload.(type) {
	case *wire.RangeRequest:
		if p.Revision > 0 && env.Choose(8, "compact") == 7 {
			s.compacted = s.rev
		}
		env.Send(m.Conn, s.answer(p))
	case *wire.WatchStart:
		s.watch(env, m.Conn, p)
	case *wire.ProgressRequest:
		for i := range s.streams {
			s.streams[i].asked = true
		}
		env.Enable(rightFeed)
	case *wire.StatusRequest:
		s.sayVersion(env, m)
	case *sim.Hangup:
		s.streams = slices.DeleteFunc(s.streams, func(st rightStream) bool { return st.conn == m.Conn })
	}
}

// sayVersion gives a version that is new enough or not, or none.
func (s *rightEtcd) sayVersion(env *sim.Env, m *sim.Message) {
	version := [...]string{"3.5.13", "3.5.12", "3.5.7", ""}[env.Choose(4, "version")]
	if version == "" {
		env.Send(m.Conn, &wire.Error{Code: wire.Unavailable, Message: "down"})
		return
	}
	env.Send(m.Conn, &wire.StatusResponse{Version: version})
}

// watch begins a watch, with or without initial events.
func (s *rightEtcd) watch(env *sim.Env, conn sim.Conn, p *wire.WatchStart) {
	next, refused := p.Revision+1, wire.Code(0)
	switch {
	case p.SendInitialEvents == wire.SendInitialEventsTrue && p.Revision > s.rev:
		refused = wire.TooLargeResourceVersion
	case p.SendInitialEvents == wire.SendInitialEventsTrue:
		for _, kv := range s.at(s.rev) {
			env.Send(conn, &wire.WatchEvent{Type: wire.Added, ResourceVersion: kv.ModRevision, Item: kv})
		}
		if p.AllowBookmarks {
			env.Send(conn, &wire.WatchEvent{Type: wire.Bookmark, ResourceVersion: s.rev, InitialEventsEnd: true})
		}
		next = s.rev + 1
	case p.Revision < s.compacted:
		refused = wire.ErrCompacted
	}
	if refused != 0 {
		env.Send(conn, &wire.WatchEvent{Type: wire.Failed, Err: &wire.Error{Code: refused, Message: "the watch cannot begin"}})
		env.Close(conn)
		return
	}
	s.streams = append(s.streams, rightStream{conn: conn, next: next})
	env.Enable(rightFeed)
}

func (s *rightEtcd) answer(p *wire.RangeRequest) sim.Payload {
	at := p.Revision
	switch {
	case at == 0:
		at = s.rev
	case at > s.rev:
		return &wire.Error{Code: wire.ErrFutureRev, Message: "future"}
	case at < s.compacted:
		return &wire.Error{Code: wire.ErrCompacted, Message: "compacted"}
	}
	resp := &wire.RangeResponse{Revision: s.rev}
	for _, kv := range s.at(at) {
		if kv.Key < p.Key || p.RangeEnd == "" && kv.Key != p.Key {
			continue
		}
		resp.Count++
		if p.Limit == 0 || int64(len(resp.Kvs)) < p.Limit {
			resp.Kvs = append(resp.Kvs, kv)
		} else {
			resp.More = true
		}
	}
	return resp
}

func (s *rightEtcd) Run(env *sim.Env, t sim.Task) {
	env.Write(cellEtcd, 0)
	if t == rightCommit {
		s.commit(env)
		if s.commits--; s.commits > 0 {
			env.Enable(rightCommit)
		}
		env.Enable(rightFeed)
		return
	}
	for i := range s.streams {
		st := &s.streams[i]
		if st.asked && (s.early || st.next > s.rev) {
			st.asked = false
			env.Send(st.conn, bookmark(s.rev))
			break
		}
		if st.next > s.rev {
			continue
		}
		if env.Choose(12, "end the watch") == 11 {
			s.end(env, i)
			break
		}
		if e := s.log[st.next]; e != nil {
			env.Send(st.conn, e)
		}
		st.next++
		break
	}
	for i := range s.streams {
		if s.streams[i].next <= s.rev || s.streams[i].asked {
			env.Enable(rightFeed)
		}
	}
}

// end ends a watch in one of the ways that a reflector distinguishes.
func (s *rightEtcd) end(env *sim.Env, i int) {
	conn := s.streams[i].conn
	code := [3]wire.Code{0, wire.ErrCompacted, wire.Unavailable}[env.Choose(3, "how")]
	if code == wire.ErrCompacted {
		s.compacted = s.rev
	}
	if code != 0 {
		env.Send(conn, &wire.WatchEvent{Type: wire.Failed, Err: &wire.Error{Code: code, Message: "the watch broke"}})
	}
	env.Close(conn)
	s.streams = slices.Delete(s.streams, i, i+1)
}

func (s *rightEtcd) TaskName(t sim.Task) string { return [...]string{"commit", "feed"}[t] }

func (s *rightEtcd) Clone() sim.Node {
	c := *s
	c.log, c.streams = slices.Clone(s.log), slices.Clone(s.streams)
	return &c
}

func (s *rightEtcd) Fingerprint(d sim.Digest) sim.Digest {
	d = d.Int(int64(s.commits)).Int(s.compacted).Int(s.rev)
	for _, e := range s.log {
		if e != nil {
			d = e.Digest(d)
		}
	}
	for _, st := range s.streams {
		d = d.Int(st.next).Bool(st.asked)
	}
	return d
}

// reader sends the cache one request after another and keeps the answers.
type reader struct {
	sim.Idle
	to    sim.NodeID
	left  int
	conn  sim.Conn
	asked *wire.ListRequest
	// revision is etcd's when the reader asked.
	revision int64
	etcd     func() int64
	answers  []answer
}

type answer struct {
	req      *wire.ListRequest
	revision int64
	told     sim.Payload
}

func (r *reader) Start(env *sim.Env) { env.Enable(0) }

func (r *reader) Run(env *sim.Env, _ sim.Task) {
	req := &wire.ListRequest{Prefix: prefix, ResourceVersion: wire.Unset}
	switch env.Choose(5, "what to ask") {
	case 1:
		req.ResourceVersion = 0
	case 2:
		req.ResourceVersion, req.Match = r.etcd()+1, wire.MatchNotOlderThan
	case 3:
		req.ResourceVersion, req.Match = max(r.etcd()-1, 1), wire.MatchExact
	case 4:
		req.Limit = 1
	}
	r.asked, r.revision = req, r.etcd()
	r.conn = env.Call(r.to, req)
}

func (r *reader) Receive(env *sim.Env, m *sim.Message) {
	if m.Conn != r.conn {
		return
	}
	r.answers = append(r.answers, answer{r.asked, r.revision, m.Payload})
	if r.left--; r.left > 0 {
		env.Enable(0)
	}
}

func (r *reader) TaskName(sim.Task) string { return "ask" }

func (r *reader) Clone() sim.Node {
	c := *r
	c.answers = slices.Clone(r.answers)
	return &c
}

func (r *reader) Fingerprint(d sim.Digest) sim.Digest {
	d = d.Int(int64(r.left))
	for _, a := range r.answers {
		d = a.told.Digest(a.req.Digest(d))
	}
	return d
}

// follower watches the cache, from the present state on, and from where it was
// when a watch ends.
type follower struct {
	sim.Idle
	to       sim.NodeID
	left     int
	conn     sim.Conn
	position int64
	streams  []stream
}

type stream struct {
	from   int64
	events []*wire.WatchEvent
}

func (f *follower) Start(env *sim.Env) { env.Enable(0) }

func (f *follower) Run(env *sim.Env, _ sim.Task) {
	f.conn = env.Open(f.to)
	f.streams = append(f.streams, stream{from: f.position})
	env.Send(f.conn, &wire.WatchRequest{Prefix: prefix, ResourceVersion: f.position, AllowBookmarks: true})
}

func (f *follower) Receive(env *sim.Env, m *sim.Message) {
	if m.Conn != f.conn {
		return
	}
	s := &f.streams[len(f.streams)-1]
	switch p := m.Payload.(type) {
	case *wire.WatchEvent:
		s.events = append(s.events, p)
		if p.Type == wire.Failed {
			f.position = 0
		} else if s.from > 0 || p.Type != wire.Added {
			// The ADDED events of the present state come in no order.
			f.position = max(f.position, p.ResourceVersion)
		}
	case *sim.Hangup:
		if f.left--; f.left > 0 {
			env.Enable(0)
		}
	}
}

func (f *follower) TaskName(sim.Task) string { return "watch" }

func (f *follower) Clone() sim.Node {
	c := *f
	c.streams = slices.Clone(f.streams)
	for i := range c.streams {
		c.streams[i].events = slices.Clone(c.streams[i].events)
	}
	return &c
}

func (f *follower) Fingerprint(d sim.Digest) sim.Digest {
	d = d.Int(int64(f.left)).Int(f.position)
	for _, s := range f.streams {
		for _, e := range s.events {
			d = e.Digest(d)
		}
	}
	return d
}
