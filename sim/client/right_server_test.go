package client_test

import (
	"slices"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// rightServer is an etcd that keeps every promise of a watch: simple instead of
// true to life. It commits by itself as often as commits says.
type rightServer struct {
	log     []wire.Event
	rev     int64
	commits int
	// early makes it break one promise: a progress request is answered before
	// the events are sent (etcd #15220).
	early   bool
	streams []serverStream
}

type serverStream struct {
	conn    sim.Conn
	nextID  int64
	watches []serverWatch
}

type serverWatch struct {
	id       int64
	key, end string
	next     int64
}

var prefixes = []string{"/a/", "/b/"}

const (
	serverCommit sim.Task = iota
	serverSync
)

func (s *rightServer) Start(env *sim.Env) {
	s.rev = 1
	env.Enable(serverCommit)
}

func (s *rightServer) Receive(env *sim.Env, m *sim.Message) {
	at := slices.IndexFunc(s.streams, func(st serverStream) bool { return st.conn == m.Conn })
	if at < 0 {
		at = len(s.streams)
		s.streams = append(s.streams, serverStream{conn: m.Conn})
	}
	st := &s.streams[at]
	switch p := m.Payload.(type) {
	case *wire.WatchCreateRequest:
		w := serverWatch{id: st.nextID, key: p.Key, end: p.RangeEnd, next: p.StartRevision}
		st.nextID++
		st.watches = append(st.watches, w)
		env.Send(m.Conn, &wire.WatchResponse{WatchID: w.id, Created: true, Revision: s.rev})
		env.Enable(serverSync)
	case *wire.WatchCancelRequest:
		n := len(st.watches)
		st.watches = slices.DeleteFunc(st.watches, func(w serverWatch) bool { return w.id == p.WatchID })
		if len(st.watches) < n {
			env.Send(m.Conn, &wire.WatchResponse{WatchID: p.WatchID, Canceled: true, Revision: s.rev})
		}
	case *wire.WatchProgressRequest:
		synced := !slices.ContainsFunc(st.watches, func(w serverWatch) bool { return w.next <= s.rev })
		if synced || s.early {
			env.Send(m.Conn, &wire.WatchResponse{WatchID: wire.InvalidWatchID, Revision: s.rev})
		}
	case *sim.Hangup:
		s.streams = slices.Delete(s.streams, at, at+1)
	}
}

func (s *rightServer) Fire(*sim.Env, sim.Timer) {}

func (s *rightServer) Run(env *sim.Env, t sim.Task) {
	if t == serverSync {
		s.sync(env)
		return
	}
	s.rev++
	touched := env.Choose(3, "prefix")
	for i, p := range prefixes {
		if touched == i || touched == 2 {
			s.log = append(s.log, s.change(p+"x"))
			if env.Choose(2, "one more") == 1 {
				s.log = append(s.log, s.change(p+"y"))
			}
		}
	}
	if s.commits--; s.commits > 0 {
		env.Enable(serverCommit)
	}
	env.Enable(serverSync)
}

// change writes a key, or deletes it every third time.
func (s *rightServer) change(key string) wire.Event {
	var before *wire.KeyValue
	for _, e := range s.log {
		if e.Kv.Key == key {
			before = e.Kv
			if e.Type == wire.Delete {
				before = nil
			}
		}
	}
	kv := &wire.KeyValue{Key: key, Value: strconv.FormatInt(s.rev, 10), CreateRevision: s.rev, ModRevision: s.rev, Version: 1}
	switch {
	case before == nil:
	case before.Version == 3:
		return wire.Event{Type: wire.Delete, Kv: &wire.KeyValue{Key: key, ModRevision: s.rev}, PrevKv: before}
	default:
		kv.CreateRevision, kv.Version = before.CreateRevision, before.Version+1
	}
	return wire.Event{Kv: kv, PrevKv: before}
}

// sync sends one response: to the first watch that is behind, as many revisions
// as a choice says.
func (s *rightServer) sync(env *sim.Env) {
	for i := range s.streams {
		st := &s.streams[i]
		for j := range st.watches {
			w := &st.watches[j]
			if w.next > s.rev {
				continue
			}
			upTo := w.next + int64(env.Choose(int(s.rev-w.next)+1, "revisions at once"))
			var all []wire.Event
			for _, e := range s.log {
				if r := e.Kv.ModRevision; r >= w.next && r <= upTo && e.Kv.Key >= w.key && e.Kv.Key < w.end {
					all = append(all, e)
				}
			}
			w.next = upTo + 1
			if len(all) > 0 {
				env.Send(st.conn, &wire.WatchResponse{WatchID: w.id, Revision: s.rev, Events: all})
			}
			env.Enable(serverSync)
			return
		}
	}
}

func (s *rightServer) TaskName(t sim.Task) string {
	if t == serverSync {
		return "sync"
	}
	return "commit"
}
func (s *rightServer) TimerName(sim.Timer) string { return "" }

func (s *rightServer) Clone() sim.Node {
	c := *s
	c.log, c.streams = slices.Clone(s.log), slices.Clone(s.streams)
	for i := range c.streams {
		c.streams[i].watches = slices.Clone(c.streams[i].watches)
	}
	return &c
}

func (s *rightServer) Fingerprint(d sim.Digest) sim.Digest {
	d = wire.DigestEvents(d.Int(s.rev).Int(int64(s.commits)), s.log)
	for _, st := range s.streams {
		for _, w := range st.watches {
			d = d.Int(w.id).Text(w.key).Int(w.next)
		}
	}
	return d
}

// judge is a cache that holds what it gets against the server's log.
type judge struct {
	server   *rightServer
	metadata []string
	watches  []judgedWatch
	control  sim.Conn
	// restarts and requests are what it may still do by itself.
	restarts, requests int
	lost, repeated     int
	early, wrong       int
}

type judgedWatch struct {
	conn sim.Conn
	// seen is the number of entries of the log that were received or do not
	// concern the watch; rv is where to watch from if it ends.
	seen int
	rv   int64
}

const (
	judgeRestart sim.Task = iota
	judgeProgress
)

func (j *judge) Start(env *sim.Env) {
	j.control = env.Open(clientID)
	j.watches = make([]judgedWatch, len(prefixes))
	for i := range j.watches {
		j.watches[i].rv = 1
		j.watch(env, i)
	}
	env.Enable(judgeRestart)
	env.Enable(judgeProgress)
}

func (j *judge) watch(env *sim.Env, i int) {
	w := &j.watches[i]
	w.conn = env.Open(clientID)
	env.Send(w.conn, &wire.WatchStart{Prefix: prefixes[i], Revision: w.rv, ProgressNotify: true, Metadata: j.metadata[i]})
}

// skip moves on to the next entry of the log that concerns the watch.
func (j *judge) skip(i int) *wire.Event {
	w := &j.watches[i]
	for ; w.seen < len(j.server.log); w.seen++ {
		if e := &j.server.log[w.seen]; strings.HasPrefix(e.Kv.Key, prefixes[i]) {
			return e
		}
	}
	return nil
}

func (j *judge) Receive(env *sim.Env, m *sim.Message) {
	i := slices.IndexFunc(j.watches, func(w judgedWatch) bool { return w.conn == m.Conn })
	if i < 0 {
		if m.Conn == j.control {
			j.control = env.Open(clientID)
		}
		return
	}
	w := &j.watches[i]
	e, ok := m.Payload.(*wire.WatchEvent)
	if !ok {
		// The process restarted. A revision that was not received whole comes
		// once more.
		w.rv--
		w.seen = slices.IndexFunc(j.server.log, func(e wire.Event) bool { return e.Kv.ModRevision > w.rv })
		if w.seen < 0 {
			w.seen = len(j.server.log)
		}
		j.watch(env, i)
		return
	}
	want := j.skip(i)
	switch {
	case e.Type == wire.Failed:
		j.wrong++
	case e.Type == wire.Bookmark:
		if want != nil && want.Kv.ModRevision <= e.ResourceVersion {
			j.early++
		}
	case want == nil || e.ResourceVersion < want.Kv.ModRevision:
		j.repeated++
		return
	default:
		for want != nil && (want.Kv.ModRevision != e.ResourceVersion || want.Kv.Key != e.Item.Key) {
			j.lost++
			w.seen++
			want = j.skip(i)
		}
		if want == nil || *e.Item != item(want) || e.Type != typeOf(want) {
			j.wrong++
			return
		}
		w.seen++
	}
	w.rv = max(w.rv, e.ResourceVersion)
}

func item(e *wire.Event) wire.KeyValue {
	if e.Type == wire.Put {
		return *e.Kv
	}
	old := *e.PrevKv
	old.ModRevision = e.Kv.ModRevision
	return old
}

func typeOf(e *wire.Event) wire.WatchEventType {
	switch {
	case e.Type == wire.Delete:
		return wire.Deleted
	case e.Kv.Version == 1:
		return wire.Added
	}
	return wire.Modified
}

func (j *judge) Fire(*sim.Env, sim.Timer) {}

func (j *judge) Run(env *sim.Env, t sim.Task) {
	if t == judgeProgress {
		env.Send(j.control, &wire.ProgressRequest{Metadata: j.metadata[env.Choose(len(j.metadata), "which stream")]})
		if j.requests--; j.requests > 0 {
			env.Enable(judgeProgress)
		}
		return
	}
	i := env.Choose(len(j.watches), "which watch restarts")
	w := &j.watches[i]
	if next := j.skip(i); next == nil || next.Kv.ModRevision > w.rv {
		env.Close(w.conn)
		j.watch(env, i)
	}
	if j.restarts--; j.restarts > 0 {
		env.Enable(judgeRestart)
	}
}

func (j *judge) TaskName(t sim.Task) string {
	if t == judgeRestart {
		return "restart a watch"
	}
	return "request progress"
}
func (j *judge) TimerName(sim.Timer) string { return "" }

// Clone implements sim.Cloner. The clone still looks at the original's server.
func (j *judge) Clone() sim.Node {
	c := *j
	c.watches = slices.Clone(j.watches)
	return &c
}

func (j *judge) Fingerprint(d sim.Digest) sim.Digest {
	d = d.Int(int64(j.restarts)).Int(int64(j.requests))
	for _, w := range j.watches {
		d = d.Int(w.rv)
	}
	return d
}
