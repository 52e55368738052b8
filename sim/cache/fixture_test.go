package cache_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	_ "github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
)

const prefix = "/registry/pods/"

// puppet is a node that does what a test makes it do. It stands for etcd and its
// client in one, and for a client of the cache.
type puppet struct {
	sim.Idle
	// react, if set, sees every message first; it returns true if the test
	// need not see it. hear sees each of them.
	react func(*sim.Env, *sim.Message) bool
	hear  func(*sim.Env, *sim.Message)
	inbox []sim.Message
}

func (p *puppet) Receive(env *sim.Env, m *sim.Message) {
	if p.hear != nil {
		p.hear(env, m)
	}
	if p.react == nil || !p.react(env, m) {
		p.inbox = append(p.inbox, *m)
	}
}

func (p *puppet) Clone() sim.Node {
	c := *p
	c.inbox = slices.Clone(p.inbox)
	return &c
}

// take removes the oldest message in the inbox.
func take[P sim.Payload](b *bed, p *puppet) (payload P, conn sim.Conn) {
	b.t.Helper()
	for i, m := range p.inbox {
		if payload, ok := m.Payload.(P); ok {
			p.inbox = append(p.inbox[:i:i], p.inbox[i+1:]...)
			return payload, m.Conn
		}
	}
	require.Failf(b.t, "not received", "%T", payload)
	return payload, 0
}

func count[P sim.Payload](p *puppet) (n int) {
	for _, m := range p.inbox {
		if _, ok := m.Payload.(P); ok {
			n++
		}
	}
	return n
}

// bed is a cache between two puppets, moved by hand.
type bed struct {
	t     *testing.T
	w     *sim.World
	up    *puppet
	down  *puppet
	cache *cache.Cache
	// choices answers Choose by what is asked; anything else gets 0.
	choices map[string]int
	feed    sim.Conn
	// stepped, if set, is called after each step.
	stepped func()
}

const (
	upID sim.NodeID = iota + 1
	cacheID
	downID
)

func config(o cache.Options) cache.Config {
	return cache.Config{Options: o, Prefix: prefix, KV: upID, Watch: upID, Metadata: "source=cache"}
}

func newBed(t *testing.T, cfg cache.Config) *bed { return newBedIn(t, sim.Options{}, cfg) }

func newBedIn(t *testing.T, o sim.Options, cfg cache.Config) *bed {
	return bedOf(t, o, cache.New(cfg))
}

func bedOf(t *testing.T, o sim.Options, c *cache.Cache) *bed {
	b := &bed{t: t, w: sim.NewWorld(o), up: &puppet{}, down: &puppet{}, cache: c, choices: map[string]int{}}
	require.Equal(t, upID, b.w.Add("up", b.up))
	require.Equal(t, cacheID, b.w.Add("cache", b.cache))
	require.Equal(t, downID, b.w.Add("down", b.down))
	for _, f := range []sim.Fault{
		&sim.RestartProcess{Nodes: []sim.NodeID{cacheID}, Label: "cache"}, cache.LoseSnapshot(cacheID, "cache"),
		cache.RecreateStorage(cacheID, "cache"),
		&sim.BreakStream{From: []sim.NodeID{cacheID}, To: upID, Label: "stream"},
	} {
		b.w.AddFault(f, sim.Budget{Times: 1})
	}
	b.w.Start(b)
	return b
}

func (b *bed) clone() *bed {
	w, err := b.w.Clone()
	require.NoError(b.t, err)
	c := *b
	c.w, c.up, c.cache, c.down = w, w.Node(upID).(*puppet), w.Node(cacheID).(*cache.Cache), w.Node(downID).(*puppet)
	return &c
}

func (b *bed) Pick(*sim.World, []sim.Action) int { return 0 }

func (b *bed) Choose(_ *sim.World, _ int, what string) int { return b.choices[what] }

// find returns the first enabled action whose name contains the text.
func (b *bed) find(text string) (sim.Action, bool) {
	for _, a := range b.w.Enabled() {
		if strings.Contains(b.w.Name(a), text) {
			return a, true
		}
	}
	return sim.Action{}, false
}

func (b *bed) can(text string) bool {
	_, ok := b.find(text)
	return ok
}

// do carries out the enabled action whose name contains the text.
func (b *bed) do(text string) {
	b.t.Helper()
	a, ok := b.find(text)
	if !ok {
		var names []string
		for _, a := range b.w.Enabled() {
			names = append(names, b.w.Name(a))
		}
		require.Failf(b.t, "not enabled", "%q; there are %q", text, names)
	}
	b.step(a)
}

func (b *bed) step(a sim.Action) {
	b.w.Do(b, a)
	if b.stepped != nil {
		b.stepped()
	}
}

// act has a puppet act.
func (b *bed) act(p *puppet, f func(*sim.Env)) {
	id := upID
	if p == b.down {
		id = downID
	}
	b.w.Admit(b, id, f)
}

// settle lets everything happen but faults and timers, or all that is due by now in a world with a clock.
func (b *bed) settle() {
	if b.w.Mode() == sim.Timed {
		b.until(b.w.Now())
		return
	}
	for again := true; again; {
		again = false
		for _, a := range b.w.Enabled() {
			if a.Kind != sim.Fire && a.Kind != sim.Inject {
				b.step(a)
				again = true
				break
			}
		}
	}
}

// until lets everything happen that is due by a time.
func (b *bed) until(t sim.Time) {
	for list := b.w.Enabled(); len(list) > 0 && b.w.Due(list[0]) <= t; list = b.w.Enabled() {
		b.step(list[0])
	}
	b.w.AdvanceTo(t)
}

// answer lets etcd answer the oldest question.
func (b *bed) answer(p sim.Payload) *wire.RangeRequest {
	b.t.Helper()
	req, conn := take[*wire.RangeRequest](b, b.up)
	b.act(b.up, func(env *sim.Env) { env.Send(conn, p) })
	b.settle()
	return req
}

// listed brings the cache through its first list and opens its watch.
func (b *bed) listed(rv int64, kvs ...*wire.KeyValue) *wire.WatchStart {
	b.t.Helper()
	b.settle()
	b.answer(&wire.RangeResponse{Revision: rv, Kvs: kvs, Count: int64(len(kvs))})
	start, conn := take[*wire.WatchStart](b, b.up)
	b.feed = conn
	return start
}

// send puts watch events on the way to the cache.
func (b *bed) send(events ...*wire.WatchEvent) {
	b.t.Helper()
	b.act(b.up, func(env *sim.Env) {
		for _, e := range events {
			env.Send(b.feed, e)
		}
	})
}

// ask sends a request of a client, which arrives.
func (b *bed) ask(p sim.Payload) sim.Conn {
	b.t.Helper()
	var conn sim.Conn
	b.act(b.down, func(env *sim.Env) {
		if _, ok := p.(*wire.WatchRequest); ok {
			conn = env.Open(cacheID)
			env.Send(conn, p)
		} else {
			conn = env.Call(cacheID, p)
		}
	})
	b.do("deliver down>cache")
	return conn
}

// covered is the number of times that a coverage point came about.
func covered(w *sim.World, name string) uint64 {
	for _, s := range sim.CoveragePoints() {
		if s.String() == "cache: "+name {
			return w.Count(s)
		}
	}
	panic("no coverage point " + name)
}

func (b *bed) covered(name string) int { return int(covered(b.w, name)) }

func kv(key, value string, rv int64) *wire.KeyValue {
	return &wire.KeyValue{Key: prefix + key, Value: value, CreateRevision: rv, ModRevision: rv, Version: 1}
}

func added(key, value string, rv int64) *wire.WatchEvent {
	return &wire.WatchEvent{Type: wire.Added, ResourceVersion: rv, Item: kv(key, value, rv)}
}

func modified(prev *wire.KeyValue, value string, rv int64) *wire.WatchEvent {
	item := *prev
	item.Value, item.ModRevision, item.Version = value, rv, prev.Version+1
	return &wire.WatchEvent{Type: wire.Modified, ResourceVersion: rv, Item: &item, Prev: prev}
}

func deleted(prev *wire.KeyValue, rv int64) *wire.WatchEvent {
	return &wire.WatchEvent{Type: wire.Deleted, ResourceVersion: rv, Item: prev, Prev: prev}
}

func bookmark(rv int64) *wire.WatchEvent {
	return &wire.WatchEvent{Type: wire.Bookmark, ResourceVersion: rv}
}

func consistentList() *wire.ListRequest {
	return &wire.ListRequest{Prefix: prefix, ResourceVersion: wire.Unset}
}

func options(t *testing.T, design string) cache.Options {
	o, err := cache.ForDesign(design)
	require.NoError(t, err)
	return o
}

const ms = time.Millisecond

func failed(code wire.Code) *wire.WatchEvent {
	return &wire.WatchEvent{Type: wire.Failed, Err: &wire.Error{Code: code}}
}

// token is Kubernetes' continue token, written here by hand.
func token(rv int64, start string) string {
	start = strings.ReplaceAll(start, "\x00", `\u0000`)
	text := fmt.Sprintf(`{"v":"meta.k8s.io/v1","rv":%d,"start":"%s"}`, rv, start)
	return base64.RawURLEncoding.EncodeToString([]byte(text))
}

// node is where a pod of these tests is scheduled: what its value begins with.
func node(kv *wire.KeyValue) string {
	name, _, _ := strings.Cut(kv.Value, ".")
	return name
}

// watchList asks for initial events up to a resourceVersion and the bookmark
// that ends them.
func watchList(rv int64) *wire.WatchRequest {
	return &wire.WatchRequest{Prefix: prefix, ResourceVersion: rv, Match: wire.MatchNotOlderThan,
		SendInitialEvents: wire.SendInitialEventsTrue, AllowBookmarks: true}
}
