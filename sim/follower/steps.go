package follower

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// What a step reads and writes.
var (
	cellContents = sim.NewCell("follower: objects and resourceVersion")
	cellWatching = sim.NewCell("follower: list and watch")
	cellAsking   = sim.NewCell("follower: clients that wait for the first list")
	cellGets     = sim.NewCell("follower: questions that are with etcd")
)

// timerAgain ends the pause before the follower lists or watches again.
const timerAgain sim.Timer = 0

// defaultPause is how long the pause is if the configuration does not say.
const defaultPause = time.Second

// Start implements sim.Node.
func (f *Follower) Start(env *sim.Env) { f.startList(env) }

// Restart implements sim.Restarter.
func (f *Follower) Restart(env *sim.Env) {
	f.forget()
	f.startList(env)
}

func (f *Follower) startList(env *sim.Env) {
	env.Writes(cellWatching, 0)
	env.Begin("list and watch", f.lists)
	f.lists++
	f.list = env.Call(f.cfg.KV, &wire.RangeRequest{Key: f.cfg.Prefix, RangeEnd: rangeEnd(f.cfg.Prefix)})
}

// Receive implements sim.Node.
func (f *Follower) Receive(env *sim.Env, m *sim.Message) {
	switch p := m.Payload.(type) {
	case *wire.ListRequest:
		f.answerList(env, m, p)
	case *wire.GetRequest:
		env.Writes(cellGets, 0)
		f.gets = append(f.gets, get{m.Conn, env.Call(f.cfg.KV, &wire.RangeRequest{Key: p.Key})})
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
	env.Reads(cellContents, 0)
	answer := f.answer(f, env, l)
	if env.Noting() {
		env.Note(answered{request: l.Label(), client: m.From, at: f.resourceVersion})
	}
	env.Send(m.Conn, answer)
}

func (f *Follower) readyz(env *sim.Env, m *sim.Message) {
	env.LooksAt(cellContents, 0)
	if f.listed {
		env.Send(m.Conn, &wire.ReadyzResponse{})
		return
	}
	env.Writes(cellAsking, 0)
	f.asking = append(f.asking, m.Conn)
}

// answered takes what etcd said, or the end of a connection.
func (f *Follower) answered(env *sim.Env, m *sim.Message) {
	env.LooksAt(cellWatching, 0)
	switch m.Conn {
	case f.list:
		f.contents(env, m.Payload)
	case f.watch:
		f.again(env)
	default:
		f.got(env, m)
	}
}

// contents takes the answer to the list, and watches from there on.
func (f *Follower) contents(env *sim.Env, p sim.Payload) {
	env.Writes(cellWatching, 0)
	f.list = sim.NoConn
	list, ok := p.(*wire.RangeResponse)
	if !ok {
		f.again(env)
		return
	}
	env.Writes(cellContents, 0)
	f.objects.Clear(true)
	for _, kv := range list.Kvs {
		f.objects.ReplaceOrInsert(kv)
	}
	f.resourceVersion, f.listed = list.Revision, true
	if env.Noting() {
		env.Note(lists{objects: len(list.Kvs), at: list.Revision})
	}
	env.Writes(cellAsking, 0)
	for _, conn := range f.asking {
		env.Send(conn, &wire.ReadyzResponse{})
	}
	f.asking = nil
	f.startWatch(env)
}

func (f *Follower) startWatch(env *sim.Env) {
	env.Writes(cellWatching, 0)
	env.Reads(cellContents, 0)
	f.watch = env.Open(f.cfg.Watch)
	env.Send(f.watch, &wire.WatchStart{
		Prefix: f.cfg.Prefix, Revision: f.resourceVersion, ProgressNotify: true, Metadata: f.cfg.Metadata,
	})
}

// event takes in a change, a progress notification or the failure of the watch.
func (f *Follower) event(env *sim.Env, e *wire.WatchEvent) {
	env.Writes(cellContents, 0)
	switch e.Type {
	case wire.Failed:
		env.Writes(cellWatching, 0)
		env.Close(f.watch)
		f.watch = sim.NoConn
		if e.Err.Code == wire.ErrCompacted {
			f.listed = false
		}
		f.again(env)
		return
	case wire.Deleted:
		f.objects.Delete(e.Item)
	case wire.Added, wire.Modified:
		f.objects.ReplaceOrInsert(e.Item)
	}
	f.resourceVersion = e.ResourceVersion
	if env.Noting() {
		env.Note(takesIn{e})
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
	env.LooksAt(cellContents, 0)
	if f.listed {
		f.startWatch(env)
		return
	}
	f.startList(env)
}

// got passes on etcd's answer to a GET.
func (f *Follower) got(env *sim.Env, m *sim.Message) {
	env.Writes(cellGets, 0)
	for i, g := range f.gets {
		if g.etcd != m.Conn {
			continue
		}
		f.gets = append(f.gets[:i], f.gets[i+1:]...)
		if p, ok := m.Payload.(*wire.RangeResponse); ok {
			answer := &wire.GetResponse{Origin: wire.FromEtcd}
			if len(p.Kvs) > 0 {
				answer.Item = p.Kvs[0]
			}
			env.Send(g.client, answer)
			return
		}
		env.Send(g.client, unavailable)
		return
	}
}

// Run implements sim.Node; a follower has no loops.
func (f *Follower) Run(*sim.Env, sim.Task) {}

// TaskName implements sim.Node.
func (f *Follower) TaskName(sim.Task) string { return "" }

// TimerName implements sim.Node.
func (f *Follower) TimerName(sim.Timer) string { return "list and watch again" }

// Clone implements sim.Cloner.
func (f *Follower) Clone() sim.Node {
	c := *f
	c.objects = f.objects.Clone()
	c.asking = append([]sim.Conn(nil), f.asking...)
	c.gets = append([]get(nil), f.gets...)
	return &c
}

// Fingerprint implements sim.Fingerprinter.
func (f *Follower) Fingerprint(d sim.Digest) sim.Digest {
	d = d.Int(f.resourceVersion).Bool(f.listed).Bool(f.list != sim.NoConn).Bool(f.watch != sim.NoConn)
	f.objects.Ascend(func(kv *wire.KeyValue) bool {
		d = kv.Digest(d)
		return true
	})
	return d.Int(int64(len(f.asking))).Int(int64(len(f.gets)))
}

var (
	noWatches   = &wire.Error{Code: wire.BadRequest, Message: "this cache serves no watches"}
	unavailable = &wire.Error{Code: wire.Unavailable, Message: "etcd went away"}
)
