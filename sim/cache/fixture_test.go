package cache_test

import (
	"slices"
	"strconv"
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
	// react, if set, sees every message first; it returns true if the test
	// need not see it.
	react func(*sim.Env, *sim.Message) bool
	inbox []received
	// plan is what the puppet does at given times.
	plan []planned
	// manual: the puppet acts whenever the test says so.
	manual bool
	next   func(*sim.Env)
}

type received struct {
	sim.Message
	at sim.Time
}

type planned struct {
	at sim.Duration
	do func(*sim.Env)
}

func (p *puppet) Start(env *sim.Env) {
	for i := range p.plan {
		env.Arm(sim.Timer(i), p.plan[i].at)
	}
	if p.manual {
		env.Enable(0)
	}
}

func (p *puppet) Receive(env *sim.Env, m *sim.Message) {
	if p.react != nil && p.react(env, m) {
		return
	}
	p.inbox = append(p.inbox, received{*m, env.Now()})
}

func (p *puppet) Fire(env *sim.Env, t sim.Timer) { p.plan[t].do(env) }

func (p *puppet) Run(env *sim.Env, _ sim.Task) {
	p.next(env)
	env.Enable(0)
}

func (p *puppet) Clone() sim.Node {
	c := *p
	c.inbox = slices.Clone(p.inbox)
	return &c
}

func (p *puppet) TaskName(sim.Task) string     { return "act" }
func (p *puppet) TimerName(t sim.Timer) string { return "plan " + strconv.Itoa(int(t)) }

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
	notes   []string
}

const (
	upID sim.NodeID = iota + 1
	cacheID
	downID
)

// Observe implements sim.Observer: it keeps the notes.
func (b *bed) Observe(w *sim.World, e *sim.Event) {
	if e.Kind == sim.Noted {
		b.notes = append(b.notes, e.Note.Text(w))
	}
}

func config(o cache.Options) cache.Config {
	return cache.Config{Options: o, Prefix: prefix, KV: upID, Watch: upID, Metadata: "source=cache"}
}

func newBed(t *testing.T, cfg cache.Config) *bed {
	b := &bed{t: t, up: &puppet{manual: true}, down: &puppet{manual: true}, choices: map[string]int{}}
	b.start(sim.Options{}, cfg)
	return b
}

func (b *bed) start(o sim.Options, cfg cache.Config) {
	b.cache = cache.New(cfg)
	b.w = sim.NewWorld(o)
	require.Equal(b.t, upID, b.w.Add("up", b.up))
	require.Equal(b.t, cacheID, b.w.Add("cache", b.cache))
	require.Equal(b.t, downID, b.w.Add("down", b.down))
	b.w.Start(b)
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
	b.w.Do(b, a)
}

func (b *bed) act(p *puppet, f func(*sim.Env)) {
	b.t.Helper()
	p.next = f
	if p == b.up {
		b.do("run up act")
	} else {
		b.do("run down act")
	}
}

// settle lets everything happen but timers and what the puppets do.
func (b *bed) settle() {
	for again := true; again; {
		again = false
		for _, a := range b.w.Enabled() {
			if name := b.w.Name(a); a.Kind != sim.Fire && !strings.HasSuffix(name, " act") {
				b.w.Do(b, a)
				again = true
				break
			}
		}
	}
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

func (b *bed) keys() (keys []string) {
	b.cache.Ascend(func(kv *wire.KeyValue) bool {
		keys = append(keys, strings.TrimPrefix(kv.Key, prefix)+"="+kv.Value)
		return true
	})
	return keys
}

// covered is the number of times that a situation came about.
func covered(w *sim.World, name string) uint64 {
	for _, s := range sim.Situations() {
		if s.String() == "cache: "+name {
			return w.Count(s)
		}
	}
	panic("no situation " + name)
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
