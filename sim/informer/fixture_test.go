package informer_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/trace"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/wire"
)

const prefix = "/registry/pods/"

// server is an API server that answers what a test sets. It may act for as long
// as no time passes since it was asked.
type server struct {
	sim.Idle
	inbox []sim.Message
	next  func(*sim.Env)
}

func (s *server) Start(env *sim.Env) { env.Enable(0) }
func (s *server) Receive(env *sim.Env, m *sim.Message) {
	s.inbox = append(s.inbox, *m)
	env.Enable(0)
}
func (s *server) Run(env *sim.Env, _ sim.Task) {
	if s.next == nil {
		return
	}
	s.next(env)
	s.next = nil
	env.Enable(0)
}
func (s *server) TaskName(sim.Task) string { return "act" }
func (s *server) Restart(env *sim.Env)     { env.Enable(0) }
func (s *server) Clone() sim.Node {
	c := *s
	c.inbox = slices.Clone(s.inbox)
	return &c
}

// bed is an informer before two API servers, moved by hand.
type bed struct {
	t        *testing.T
	w        *sim.World
	servers  [2]*server
	informer *informer.Informer
	// choices answers Choose by what is asked; anything else gets 0.
	choices map[string]int
	// at is the server that the test speaks for.
	at *server
}

const (
	firstID sim.NodeID = iota + 1
	secondID
	informerID
)

func newBed(t *testing.T, mode sim.Mode, cfg informer.Config) *bed {
	return newTracedBed(t, mode, cfg, nil)
}

// newTracedBed is a bed whose run a trace takes down, unless that is nil.
func newTracedBed(t *testing.T, mode sim.Mode, cfg informer.Config, run *trace.Trace) *bed {
	b := &bed{t: t, servers: [2]*server{{}, {}}, choices: map[string]int{}}
	b.at = b.servers[0]
	cfg.Prefix = prefix
	if cfg.Servers == nil {
		cfg.Servers = []sim.NodeID{firstID}
	}
	b.informer = informer.New(cfg)
	b.w = sim.NewWorld(sim.Options{Mode: mode})
	require.Equal(t, firstID, b.w.Add("first", b.servers[0]))
	require.Equal(t, secondID, b.w.Add("second", b.servers[1]))
	require.Equal(t, informerID, b.w.Add("informer", b.informer))
	if mode == sim.Untimed {
		b.addFaults()
	}
	if run != nil {
		run.Follow(b.w)
	}
	b.w.Start(b)
	b.settle()
	return b
}

func (b *bed) addFaults() {
	b.w.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{informerID}, Label: "informer"}, sim.Budget{Times: 9, Within: 1})
	b.w.AddFault(&sim.BreakStream{From: []sim.NodeID{informerID}, To: firstID, Label: "stream"}, sim.Budget{Times: 9, Within: 1})
	b.w.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{firstID}, Label: "server"}, sim.Budget{Times: 9, Within: 1})
}

func (b *bed) Pick(*sim.World, []sim.Action) int           { return 0 }
func (b *bed) Choose(_ *sim.World, _ int, what string) int { return b.choices[what] }
func (b *bed) find(text string) (action sim.Action, exists bool) {
	for _, a := range b.w.Enabled() {
		if strings.Contains(b.w.Name(a), text) {
			return a, true
		}
	}
	return sim.Action{}, false
}

// do carries out the enabled action whose name contains the text, and lets the
// messages that follow arrive.
func (b *bed) do(text string) {
	b.t.Helper()
	a, ok := b.find(text)
	for !ok && b.w.Mode() == sim.Timed && b.letTimePass() {
		a, ok = b.find(text)
	}
	if !ok {
		var names []string
		for _, a := range b.w.Enabled() {
			names = append(names, b.w.Name(a))
		}
		require.Failf(b.t, "not enabled", "%q; there are %q", text, names)
	}
	b.w.Do(b, a)
	b.settle()
}

// letTimePass makes the servers wait.
func (b *bed) letTimePass() bool {
	a, ok := b.find(" act")
	if ok {
		b.w.Do(b, a)
	}
	return ok
}

func (b *bed) settle() {
	for again := true; again; {
		again = false
		for _, a := range b.w.Enabled() {
			if a.Kind == sim.Deliver {
				b.w.Do(b, a)
				again = true
				break
			}
		}
	}
}

// act lets the server that the test speaks for do something.
func (b *bed) act(f func(*sim.Env)) {
	b.t.Helper()
	b.at.next = f
	name := "run first act"
	if b.at == b.servers[1] {
		name = "run second act"
	}
	b.do(name)
}

// take removes the oldest request of a kind at the server that the test speaks
// for.
func take[P sim.Payload](b *bed) (payload P, conn sim.Conn) {
	b.t.Helper()
	for i, m := range b.at.inbox {
		if payload, ok := m.Payload.(P); ok {
			b.at.inbox = slices.Delete(b.at.inbox, i, i+1)
			return payload, m.Conn
		}
	}
	require.Failf(b.t, "not asked", "%T; there is %v", payload, b.at.inbox)
	return payload, 0
}

// list expects a LIST and answers it.
func (b *bed) list(want wire.ListRequest, answer sim.Payload) {
	b.t.Helper()
	want.Prefix = prefix
	req, conn := take[*wire.ListRequest](b)
	require.Equal(b.t, want, *req)
	if answer != nil {
		b.act(func(env *sim.Env) { env.Send(conn, answer) })
	}
}

// watch expects a WATCH from a resourceVersion.
func (b *bed) watch(from int64) sim.Conn {
	b.t.Helper()
	req, conn := take[*wire.WatchRequest](b)
	require.Equal(b.t, wire.WatchRequest{Prefix: prefix, ResourceVersion: from, AllowBookmarks: true}, *req)
	return conn
}

// watchList expects a WatchList of a resourceVersion.
func (b *bed) watchList(from int64) sim.Conn {
	b.t.Helper()
	req, conn := take[*wire.WatchRequest](b)
	require.Equal(b.t, wire.WatchRequest{
		Prefix: prefix, ResourceVersion: from, AllowBookmarks: true,
		Match: wire.MatchNotOlderThan, SendInitialEvents: wire.SendInitialEventsTrue,
	}, *req)
	return conn
}

func (b *bed) send(conn sim.Conn, events ...*wire.WatchEvent) {
	b.t.Helper()
	b.act(func(env *sim.Env) {
		for _, e := range events {
			env.Send(conn, e)
		}
	})
}

func (b *bed) fail(conn sim.Conn, err *wire.Error) {
	b.t.Helper()
	b.act(func(env *sim.Env) {
		env.Send(conn, &wire.WatchEvent{Type: wire.Failed, Err: err})
		env.Close(conn)
	})
}

// holds expects the store's contents, as "key@revision", and its
// resourceVersion; 0 is a store that has not synced.
func (b *bed) holds(version int64, want ...string) {
	b.t.Helper()
	var got []string
	b.informer.Ascend(func(kv *wire.KeyValue) bool {
		got = append(got, strings.TrimPrefix(kv.Key, prefix)+"@"+strconv.FormatInt(kv.ModRevision, 10))
		return true
	})
	require.Equal(b.t, want, got)
	require.Equal(b.t, version, b.informer.ResourceVersion())
	require.Equal(b.t, version != 0, b.informer.Synced())
}

// idle expects that nothing was asked that the test has not seen.
func (b *bed) idle() {
	b.t.Helper()
	for _, s := range b.servers {
		for _, m := range s.inbox {
			switch m.Payload.(type) {
			case *wire.ListRequest, *wire.WatchRequest:
				require.Failf(b.t, "asked", "%v", m.Payload.Label())
			}
		}
	}
}

func item(key string, rev int64) *wire.KeyValue {
	return &wire.KeyValue{Key: prefix + key, Value: "v" + strconv.FormatInt(rev, 10), CreateRevision: rev, ModRevision: rev, Version: 1}
}

func listed(version int64, items ...*wire.KeyValue) *wire.ListResponse {
	return &wire.ListResponse{ResourceVersion: version, Items: items}
}

func added(kv *wire.KeyValue) *wire.WatchEvent {
	return &wire.WatchEvent{Type: wire.Added, ResourceVersion: kv.ModRevision, Item: kv}
}

func modified(kv *wire.KeyValue) *wire.WatchEvent {
	return &wire.WatchEvent{Type: wire.Modified, ResourceVersion: kv.ModRevision, Item: kv}
}

func deleted(kv *wire.KeyValue, version int64) *wire.WatchEvent {
	return &wire.WatchEvent{Type: wire.Deleted, ResourceVersion: version, Item: kv}
}

func bookmark(version int64) *wire.WatchEvent {
	return &wire.WatchEvent{Type: wire.Bookmark, ResourceVersion: version}
}

func endOfInitialEvents(version int64) *wire.WatchEvent {
	return &wire.WatchEvent{Type: wire.Bookmark, ResourceVersion: version, InitialEventsEnd: true}
}

var (
	gone     = &wire.Error{Code: wire.ErrCompacted}
	tooLarge = &wire.Error{Code: wire.TooLargeResourceVersion}
	invalid  = &wire.Error{Code: wire.BadRequest}
	busy     = &wire.Error{Code: wire.TooManyRequests}
)
