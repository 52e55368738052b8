package informer_test

import (
	"slices"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// truth is what is in etcd: every state that there was, and what led to it.
// states[i] is of revision i+1.
type truth struct {
	states    [][]*wire.KeyValue
	events    []*wire.WatchEvent // events[i] made states[i+1]
	compacted int64
	// writing: there is more to come.
	writing bool
}

func newTruth() *truth { return &truth{states: [][]*wire.KeyValue{{}}, writing: true} }

func (t *truth) revision() int64                  { return int64(len(t.states)) }
func (t *truth) at(rev int64) []*wire.KeyValue    { return t.states[rev-1] }
func (t *truth) after(rev int64) *wire.WatchEvent { return t.events[rev-1] }

// put changes a key, or deletes it.
func (t *truth) put(key string, remove bool) {
	next := slices.Clone(t.at(t.revision()))
	kv := item(key, t.revision()+1)
	i, exists := slices.BinarySearchFunc(next, kv, func(a, b *wire.KeyValue) int { return strings.Compare(a.Key, b.Key) })
	switch {
	case exists && remove:
		t.events = append(t.events, deleted(next[i], t.revision()+1))
		next = slices.Delete(next, i, i+1)
	case exists:
		t.events = append(t.events, modified(kv))
		next[i] = kv
	default:
		t.events = append(t.events, added(kv))
		next = slices.Insert(next, i, kv)
	}
	t.states = append(t.states, next)
}

func (t *truth) clone() *truth {
	return &truth{slices.Clone(t.states), slices.Clone(t.events), t.compacted, t.writing}
}

// cellWhole is all that a server has.
var cellWhole = sim.NewCell("informer test: whole server")

// rightServer is an API server that answers rightly, from a state that may be
// old where it is allowed to be, or refuses, or breaks off.
type rightServer struct {
	sim.Idle
	truth *truth
	// at is what its cache holds, oldest the first revision that a watch may
	// begin at.
	at, oldest int64
	// refusals is how often it may still refuse.
	refusals int
	streams  []stream
}

// stream is a watch. It is sent initial events first, then what follows next.
type stream struct {
	conn      sim.Conn
	initial   []*wire.KeyValue
	end       bool
	next      int64
	bookmarks bool
}

const (
	catchUp sim.Task = iota
	streamOn
)

func (s *rightServer) Start(env *sim.Env) {
	s.at, s.oldest = 1, 1
	env.Enable(catchUp)
}

// Restart forgets the history: the cache begins with the present state.
func (s *rightServer) Restart(env *sim.Env) {
	s.streams = nil
	s.at, s.oldest = s.truth.revision(), s.truth.revision()
	env.Enable(catchUp)
}

func (s *rightServer) Run(env *sim.Env, t sim.Task) {
	env.Write(cellWhole, 0)
	if t == catchUp {
		// Not always to the end, and sometimes the history is cut.
		s.at += int64(env.Choose(int(s.truth.revision()-s.at)+1, "catch up"))
		if env.Choose(8, "cut the history") == 7 {
			s.oldest = s.at
		}
		if s.truth.writing || s.at < s.truth.revision() {
			env.Enable(catchUp)
		}
		env.Enable(streamOn)
		return
	}
	if len(s.streams) == 0 {
		return
	}
	i := env.Choose(len(s.streams), "which stream")
	w := &s.streams[i]
	env.Enable(streamOn)
	switch {
	case s.refuses(env, "close the stream"):
		if env.Choose(2, "say why") == 1 {
			env.Send(w.conn, &wire.WatchEvent{Type: wire.Failed, Err: refusals[env.Choose(len(refusals), "refusal")]})
		}
		env.Close(w.conn)
		s.streams = slices.Delete(s.streams, i, i+1)
	case len(w.initial) > 0:
		env.Send(w.conn, added(w.initial[0]))
		w.initial = w.initial[1:]
	case w.end:
		env.Send(w.conn, endOfInitialEvents(w.next-1))
		w.end = false
	case w.next <= s.at:
		env.Send(w.conn, s.truth.after(w.next-1))
		w.next++
	case env.Choose(4, "bookmark") == 3:
		env.Send(w.conn, bookmark(max(s.at, w.next-1)))
		env.Disable(streamOn)
	default:
		env.Disable(streamOn)
	}
}

var refusals = []*wire.Error{
	{Code: wire.TooManyRequests, RetryAfter: 1}, {Code: wire.TooManyRequests}, {Code: wire.Internal}, {Code: wire.BadRequest},
	{Code: wire.Unavailable}, {Code: wire.ErrCompacted}, {Code: wire.TooLargeResourceVersion, RetryAfter: 1}, {Code: wire.TooLargeResourceVersion},
}

func (s *rightServer) refuses(env *sim.Env, what string) bool {
	if s.refusals == 0 || env.Choose(6, what) != 5 {
		return false
	}
	s.refusals--
	return true
}

func (s *rightServer) Receive(env *sim.Env, m *sim.Message) {
	env.Write(cellWhole, 0)
	env.Enable(catchUp)
	switch p := m.Payload.(type) {
	case *wire.ReadyzRequest:
		env.Send(m.Conn, &wire.ReadyzResponse{})
	case *wire.ListRequest:
		answer := s.list(p)
		if s.refuses(env, "refuse the list") {
			answer = refusals[env.Choose(len(refusals), "refusal")]
		}
		env.Send(m.Conn, answer)
	case *wire.WatchRequest:
		if s.refuses(env, "refuse the watch") {
			env.Send(m.Conn, &wire.WatchEvent{Type: wire.Failed, Err: refusals[env.Choose(len(refusals), "refusal")]})
			env.Close(m.Conn)
			return
		}
		s.watch(env, m.Conn, p)
	case *sim.Hangup:
		s.streams = slices.DeleteFunc(s.streams, func(w stream) bool { return w.conn == m.Conn })
	}
}

func (s *rightServer) list(p *wire.ListRequest) sim.Payload {
	at, from := s.at, ""
	switch {
	case p.Continue != "":
		rev, key, _ := strings.Cut(p.Continue, " ")
		at, _ = strconv.ParseInt(rev, 10, 64)
		from = key
	case p.ResourceVersion == wire.Unset:
		s.at = s.truth.revision()
		at = s.at
	case p.ResourceVersion == 0:
	case p.Match == wire.MatchExact, p.Match == wire.MatchUnset && p.Limit > 0:
		at = p.ResourceVersion
	case p.ResourceVersion > s.at:
		return tooLarge
	}
	if at < s.truth.compacted {
		return gone
	}
	all := s.truth.at(at)
	for len(all) > 0 && all[0].Key <= from {
		all = all[1:]
	}
	answer := listed(at, all...)
	// A cache takes no limit where any state will do.
	if n := int(p.Limit); n > 0 && len(all) > n && (p.ResourceVersion != 0 || p.Continue != "") {
		answer.Items = all[:n]
		answer.Continue = strconv.FormatInt(at, 10) + " " + all[n-1].Key
	}
	return answer
}

func (s *rightServer) watch(env *sim.Env, conn sim.Conn, p *wire.WatchRequest) {
	w := stream{conn: conn, next: p.ResourceVersion + 1, bookmarks: p.AllowBookmarks}
	if p.SendInitialEvents == wire.SendInitialEventsTrue {
		if p.ResourceVersion == wire.Unset {
			s.at = s.truth.revision()
		}
		if p.ResourceVersion > s.at {
			env.Send(conn, &wire.WatchEvent{Type: wire.Failed, Err: tooLarge})
			env.Close(conn)
			return
		}
		w.initial, w.end, w.next = slices.Clone(s.truth.at(s.at)), true, s.at+1
	} else if p.ResourceVersion < s.oldest {
		env.Send(conn, &wire.WatchEvent{Type: wire.Failed, Err: gone})
		env.Close(conn)
		return
	}
	s.streams = append(s.streams, w)
	env.Enable(streamOn)
}

func (s *rightServer) TaskName(t sim.Task) string { return "task " + strconv.Itoa(int(t)) }
func (s *rightServer) Fingerprint(d sim.Digest) sim.Digest {
	return d.Int(s.at).Int(s.oldest).Int(int64(s.refusals)).Int(int64(len(s.streams)))
}

func (s *rightServer) Clone() sim.Node {
	c := *s
	c.streams = slices.Clone(s.streams)
	return &c
}

// writer writes for as long as it has something to write.
type writer struct {
	sim.Idle
	truth *truth
	left  int
}

func (w *writer) Start(env *sim.Env) { env.Enable(0) }
func (w *writer) Run(env *sim.Env, _ sim.Task) {
	env.TouchAll() // the truth is everywhere
	w.truth.put(string(rune('a'+env.Choose(4, "key"))), env.Choose(3, "delete") == 2)
	if env.Choose(6, "compact") == 5 {
		w.truth.compacted = w.truth.revision() - int64(env.Choose(int(w.truth.revision()-w.truth.compacted), "how far"))
	}
	if w.left--; w.left > 0 {
		env.Enable(0)
	} else {
		w.truth.writing = false
	}
}
func (w *writer) TaskName(sim.Task) string { return "write" }
func (w *writer) Fingerprint(d sim.Digest) sim.Digest {
	return d.Int(int64(w.left)).Int(w.truth.revision())
}
func (w *writer) Clone() sim.Node { c := *w; return &c }
