package follower

import (
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
