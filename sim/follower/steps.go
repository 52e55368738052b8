package follower

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// timerAgain ends the pause before the follower lists or watches again.
const timerAgain sim.Timer = 0

// defaultPause is how long the pause is if the configuration does not say.
const defaultPause = time.Second

func (f *Follower) Start(env *sim.Env) { f.startList(env) }

// Restart implements sim.Restarter.
func (f *Follower) Restart(env *sim.Env) {
	f.forget()
	f.startList(env)
}

func (f *Follower) startList(env *sim.Env) {
	env.Begin("list and watch", f.lists)
	f.lists++
	f.watching.Change(env).list = env.Call(f.cfg.KV, &wire.RangeRequest{Key: f.cfg.Prefix, RangeEnd: wire.PrefixEnd(f.cfg.Prefix)})
}

// Receive implements sim.Node.
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

// Fire implements sim.Node.
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

// Fingerprint implements sim.Fingerprinter.
func (f *Follower) Fingerprint(d sim.Digest) sim.Digest {
	layout.Cells(f, func(_ sim.CellKind, _ int, contents sim.Digest) { d = d.Fold(contents) })
	return d
}

var (
	noWatches   = &wire.Error{Code: wire.BadRequest, Message: "this cache serves no watches"}
	unavailable = &wire.Error{Code: wire.Unavailable, Message: "etcd went away"}
)
