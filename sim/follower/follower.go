// Package follower is a cache in its simplest form, to build another design on:
// it lists its prefix once, watches from there on, and keeps the objects. The
// design decides how a LIST is answered:
//
//	cache.RegisterDesign(cache.Design{
//		Preset: option.Preset{Name: "naive", Doc: "answers every LIST at once"},
//		New: func(c cache.Config) sim.Node {
//			return follower.New(c, func(f *follower.Follower, _ *sim.Env, l *wire.ListRequest) sim.Payload {
//				return f.Contents(l.Prefix)
//			})
//		},
//	})
//
// After a watch breaks, the follower watches from the last event on. If etcd has
// compacted that history, it lists again. It passes a GET on to etcd. Clients
// cannot watch a follower: their watch is refused. A design that needs more is a
// sim.Node of its own, as sim/cache is.
//
// The function must keep nothing between two calls: what it captures is in no state. A design that keeps
// something is a type that embeds *Follower, with fields, and with methods of its own where the promoted ones leave
// out these fields:
//
//	Clone        a copy of the type itself, with Follower.Clone() in it and copies of what its fields point to
//	Fingerprint  Follower.Fingerprint(d) and then each field on which depends what the node does. States with
//	             the same fingerprint are searched once.
//	Conns        if the type holds connections: Follower.Conns(visit), and then these in a fixed order
//	Restart      sets the fields back, and calls Follower.Restart
//
// The search over states refuses a wrapper of which Clone, Fingerprint, Behaviour or Cells is promoted, and the search
// of schedules one without a Clone of its own; to the latter all steps of a wrapper conflict. The former takes the same
// steps out of states that it found twice, for a sample, and ends with an error if they lead to different ones.
//
// The package imports sim, sim/cache (for its Config) and sim/wire. It must never
// import a simulated etcd or its client.
package follower

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// Answer says how a LIST is answered, at once: a *wire.ListResponse or a
// *wire.Error.
type Answer func(f *Follower, env *sim.Env, l *wire.ListRequest) sim.Payload

// Follower lists, watches, and keeps the objects of one resource. It implements
// sim.Node and what the test bed asks of a cache.
type Follower struct {
	cfg    cache.Config
	answer Answer

	contents state.Var[contents] `cell:"follower: objects and resourceVersion"`
	watching state.Var[watching] `cell:"follower: list and watch"`
	lists    int
	// asking are clients that wait to hear that the follower has listed.
	asking state.List[sim.Conn] `cell:"follower: clients that wait for the first list"`
	// gets are the questions that are with etcd.
	gets state.List[get] `cell:"follower: questions that are with etcd"`
}

var layout = state.Of[Follower]()

type contents struct {
	objects state.Tree[*wire.KeyValue]
	// resourceVersion is that of the list, then that of the last event or
	// progress notification.
	resourceVersion int64
	listed          bool
}

type watching struct{ list, watch sim.Conn }

// get is a GET of a client that etcd answers.
type get struct {
	client, etcd sim.Conn
}

var (
	_ sim.Node          = (*Follower)(nil)
	_ sim.Restarter     = (*Follower)(nil)
	_ sim.Cloner        = (*Follower)(nil)
	_ sim.Fingerprinter = (*Follower)(nil)
	_ cache.Readiness   = (*Follower)(nil)
	_ cache.Mirror      = (*Follower)(nil)
)

// New returns a follower of the resource that the configuration names. Of the
// configuration it uses Prefix, KV, Watch, Metadata and RelistDelay.
func New(cfg cache.Config, answer Answer) *Follower {
	f := &Follower{cfg: cfg, answer: answer}
	f.forget()
	return f
}

func (f *Follower) forget() { layout.Reset(f, 0, Follower{cfg: f.cfg, answer: f.answer}) }

// Ready reports whether the first list has come.
func (f *Follower) Ready() bool { return f.contents.Value().listed }

// ResourceVersion is the one up to which the follower has received all events.
func (f *Follower) ResourceVersion() int64 { return f.contents.Value().resourceVersion }

// Ascend calls visit for the objects in key order, until it returns false.
func (f *Follower) Ascend(visit func(*wire.KeyValue) bool) { f.contents.Value().objects.Ascend(visit) }

// Contents is a LIST of the objects whose keys begin with a prefix, as the follower
// has them now.
func (f *Follower) Contents(prefix string) *wire.ListResponse {
	var items []*wire.KeyValue
	from, to := &wire.KeyValue{Key: prefix}, &wire.KeyValue{Key: wire.PrefixEnd(prefix)}
	f.contents.Value().objects.Range(from, to, func(kv *wire.KeyValue) bool {
		items = append(items, kv)
		return true
	})
	return &wire.ListResponse{ResourceVersion: f.ResourceVersion(), Items: items, Origin: wire.FromCache}
}

// timerAgain ends the pause before the follower lists or watches again.
const timerAgain sim.Timer = 0

// defaultPause is how long the pause is if the configuration does not say.
const defaultPause = time.Second

func (f *Follower) Start(env *sim.Env) { f.startList(env) }

func (f *Follower) Restart(env *sim.Env) {
	f.forget()
	f.startList(env)
}

func (f *Follower) startList(env *sim.Env) {
	env.Begin("list and watch", f.lists)
	f.lists++
	f.watching.Change(env).list = env.Call(f.cfg.KV, &wire.RangeRequest{Key: f.cfg.Prefix, RangeEnd: wire.PrefixEnd(f.cfg.Prefix)})
}

func (f *Follower) Receive(env *sim.Env, m *sim.Message) {
	switch p := m.Payload.(type) {
	case *wire.ListRequest:
		f.answerList(env, m, p)
	case *wire.GetRequest:
		f.gets.Add(env, get{m.Conn, env.Call(f.cfg.KV, &wire.RangeRequest{Key: p.Key})})
	case *wire.WatchRequest:
		env.Send(m.Conn, &wire.WatchEvent{Type: wire.Failed, Err: noWatches})
		env.Close(m.Conn)
	case *wire.ReadyzRequest:
		f.readyz(env, m)
	case *wire.WatchEvent:
		f.event(env, p)
	default:
		f.answered(env, m)
	}
}

func (f *Follower) answerList(env *sim.Env, m *sim.Message, l *wire.ListRequest) {
	at := f.contents.Read(env).resourceVersion
	answer := f.answer(f, env, l)
	answered.Say(env, m.From, l, at)
	env.Send(m.Conn, answer)
}

func (f *Follower) readyz(env *sim.Env, m *sim.Message) {
	if f.contents.Look(env).listed {
		env.Send(m.Conn, &wire.ReadyzResponse{})
		return
	}
	f.asking.Add(env, m.Conn)
}

// answered takes what etcd said, or the end of a connection.
func (f *Follower) answered(env *sim.Env, m *sim.Message) {
	w := f.watching.Look(env)
	switch m.Conn {
	case w.list:
		f.takeList(env, m.Payload)
	case w.watch:
		f.again(env)
	default:
		f.got(env, m)
	}
}

// takeList takes the answer to the list, and watches from there on.
func (f *Follower) takeList(env *sim.Env, p sim.Payload) {
	f.watching.Change(env).list = sim.NoConn
	list, ok := p.(*wire.RangeResponse)
	if !ok {
		f.again(env)
		return
	}
	c := f.contents.Change(env)
	c.objects.Clear()
	for _, kv := range list.Kvs {
		c.objects.Put(kv)
	}
	c.resourceVersion, c.listed = list.Revision, true
	lists.Say(env, len(list.Kvs), list.Revision)
	for conn := range f.asking.Take(env, func(*sim.Conn) bool { return true }) {
		env.Send(conn, &wire.ReadyzResponse{})
	}
	f.startWatch(env)
}

func (f *Follower) startWatch(env *sim.Env) {
	w := f.watching.Change(env)
	w.watch = env.Open(f.cfg.Watch)
	env.Send(w.watch, &wire.WatchStart{
		Prefix: f.cfg.Prefix, Revision: f.contents.Read(env).resourceVersion, ProgressNotify: true, Metadata: f.cfg.Metadata,
	})
}

// event takes in a change, a progress notification or the failure of the watch.
func (f *Follower) event(env *sim.Env, e *wire.WatchEvent) {
	c := f.contents.Change(env)
	switch e.Type {
	case wire.Failed:
		w := f.watching.Change(env)
		env.Close(w.watch)
		w.watch = sim.NoConn
		if e.Err.Code == wire.ErrCompacted {
			c.listed = false
		}
		f.again(env)
		return
	case wire.Deleted:
		c.objects.Delete(e.Item)
	case wire.Added, wire.Modified:
		c.objects.Put(e.Item)
	}
	c.resourceVersion = e.ResourceVersion
	if env.Noting() {
		var key string
		if e.Item != nil {
			key = e.Item.Key
		}
		env.Note(takesIn.Of(e.ResourceVersion, e, key))
	}
}

// again lists or watches again after a pause.
func (f *Follower) again(env *sim.Env) {
	pause := f.cfg.RelistDelay
	if pause == 0 {
		pause = defaultPause
	}
	env.Arm(timerAgain, pause)
}

func (f *Follower) Fire(env *sim.Env, _ sim.Timer) {
	if f.contents.Look(env).listed {
		f.startWatch(env)
		return
	}
	f.startList(env)
}

// got passes on etcd's answer to a GET.
func (f *Follower) got(env *sim.Env, m *sim.Message) {
	for g := range f.gets.Take(env, func(g *get) bool { return g.etcd == m.Conn }) {
		if p, ok := m.Payload.(*wire.RangeResponse); ok {
			answer := &wire.GetResponse{Origin: wire.FromEtcd}
			if len(p.Kvs) > 0 {
				answer.Item = p.Kvs[0]
			}
			env.Send(g.client, answer)
		} else {
			env.Send(g.client, unavailable)
		}
	}
}

// Run implements sim.Node; a follower has no loops.
func (f *Follower) Run(*sim.Env, sim.Task) {}

func (f *Follower) TaskName(sim.Task) string   { return "" }
func (f *Follower) TimerName(sim.Timer) string { return "list and watch again" }
func (f *Follower) Clone() sim.Node            { return layout.Clone(f) }
func (f *Follower) Conns(visit func(sim.Conn)) { layout.Conns(f, visit) }

func (f *Follower) Fingerprint(d sim.Digest) sim.Digest {
	layout.Cells(f, func(_ sim.CellKind, _ int, contents sim.Digest) { d = d.Fold(contents) })
	return d
}

var (
	noWatches   = &wire.Error{Code: wire.BadRequest, Message: "this cache serves no watches"}
	unavailable = &wire.Error{Code: wire.Unavailable, Message: "etcd went away"}
)

var (
	lists    = sim.NewNote2[int, int64]("follower.lists", "has listed %d objects at resourceVersion %d and watches from there")
	takesIn  = sim.NewNote("follower.takesIn", "%[1]Rtakes in %[2]s%[3]K")
	answered = sim.NewNote3[sim.NodeID, *wire.ListRequest, int64]("follower.answered", "answers %s's %s at resourceVersion %d")
)
