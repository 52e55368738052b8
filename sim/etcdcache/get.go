package etcdcache

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
)

// read is a Get of a client.
type read struct {
	status   readStatus
	conn     sim.Conn
	key, end string
	// rev is that of WithRev, 0 for the newest state. one: the client has sent a GET.
	rev               int64
	serializable, one bool
	// target is the revision that the store must have, expired that the read has waited for too long.
	target  int64
	expired bool
	cause   sim.Cause `cell:"-"`
}

type readStatus uint8

const (
	readNone readStatus = iota
	// readAwaitsReady: it waits in WaitReady, for the first list.
	readAwaitsReady
	// readAsks: etcd is asked for its revision.
	readAsks
	// readWaits: it waits in waitTillRevision.
	readWaits
)

func (c *Cache) list(env *sim.Env, m *sim.Message, p *wire.ListRequest) {
	r := read{conn: m.Conn, cause: m.Cause}
	r.key, r.end = rangeOf(p.Prefix, p.Single)
	switch {
	case p.ResourceVersion > 0:
		r.rev = p.ResourceVersion
	case p.ResourceVersion == 0 && p.Match != wire.MatchMostRecent:
		r.serializable = true
	}
	c.begin(env, r)
}

func (c *Cache) get(env *sim.Env, m *sim.Message, p *wire.GetRequest) {
	c.begin(env, read{conn: m.Conn, key: p.Key, serializable: p.ResourceVersion == 0, one: true, cause: m.Cause})
}

// rangeOf is what a client asks for that wants what is below a prefix, or a single key.
func rangeOf(prefix string, single bool) (key, end string) {
	if single {
		return prefix, ""
	}
	key = strings.TrimSuffix(prefix, "/") + "/"
	return key, wire.PrefixEnd(key)
}

// begin begins a read.
func (c *Cache) begin(env *sim.Env, r read) {
	all := c.reads.Change(env)
	i := slices.IndexFunc(*all, func(r read) bool { return r.status == readNone })
	if i < 0 {
		i = len(*all)
		*all = append(*all, read{})
	}
	r.status = readAwaitsReady
	(*all)[i] = r
	if c.store.Read(env).latest.rev == 0 && !*c.ready.Read(env) {
		return
	}
	c.ask(env, i)
}

// ask asks etcd for its revision, unless the read is serializable.
func (c *Cache) ask(env *sim.Env, i int) {
	r := &(*c.reads.Change(env))[i]
	if r.serializable {
		c.answer(env, i)
		return
	}
	r.status = readAsks
	c.client.Ask(env, askedByRead-int32(i), env.Self(), &wire.RangeRequest{Key: c.cfg.Prefix, Limit: 1, CountOnly: true}, r.cause)
}

// serverRevision takes etcd's answer.
func (c *Cache) serverRevision(env *sim.Env, i int, p sim.Payload) {
	r := &(*c.reads.Change(env))[i]
	if r.status != readAsks {
		return
	}
	env.Under(r.cause)
	got, ok := p.(*wire.RangeResponse)
	switch {
	case !ok:
		err, _ := p.(*wire.Error)
		c.refuse(env, i, err)
	case r.rev > got.Revision:
		c.refuse(env, i, futureRev)
	case c.store.Read(env).latest.rev >= got.Revision || c.mistake(cache.UnawaitedRead):
		c.answer(env, i)
	default:
		env.Cover(readWaitsForRevision)
		r.status, r.target = readWaits, got.Revision
		if env.Noting() {
			env.Note(waits.Of(got.Revision, c.store.Value().latest.rev))
		}
		c.addWaiting(env)
		env.Arm(readTimer(i), c.cfg.BlockTimeout)
	}
}

// wakeReads is revCond.Broadcast.
func (c *Cache) wakeReads(env *sim.Env) {
	for i, r := range *c.reads.Look(env) {
		if r.status == readWaits {
			env.Enable(readTask(i))
		}
	}
}

// timeout is the goroutine that ends the waiting of a read.
func (c *Cache) timeout(env *sim.Env, i int) {
	(*c.reads.Change(env))[i].expired = true
	c.wakeReads(env)
}

// look is what a read does when it is woken.
func (c *Cache) look(env *sim.Env, i int) {
	r := &(*c.reads.Read(env))[i]
	env.Under(r.cause)
	switch {
	case r.status == readAwaitsReady:
		if *c.ready.Read(env) {
			c.ask(env, i)
		}
	case r.status != readWaits:
	case c.store.Read(env).latest.rev >= r.target:
		c.answer(env, i)
	case r.expired:
		env.Cover(readTimedOut)
		c.refuse(env, i, &wire.Error{Code: wire.TooLargeResourceVersion, Message: "cache: timed out waiting for revision"})
	}
}

// answer answers a read from the store.
func (c *Cache) answer(env *sim.Env, i int) {
	r := &(*c.reads.Read(env))[i]
	s := c.store.Read(env)
	found, err := s.at(r.rev)
	if err != nil {
		c.refuse(env, i, err)
		return
	}
	kvs, rev := found.get(r.key, r.end), s.latest.rev
	if r.rev > 0 {
		rev = r.rev
	}
	if env.Noting() {
		env.Note(answers.Of(rev, len(kvs)))
	}
	if r.one {
		got := &wire.GetResponse{Origin: wire.FromCache}
		if len(kvs) > 0 {
			got.Item = kvs[0]
		} else {
			got.ResourceVersion = rev
		}
		env.Send(r.conn, got)
	} else {
		env.Send(r.conn, &wire.ListResponse{ResourceVersion: rev, Items: kvs, Origin: wire.FromCache})
	}
	c.finish(env, i)
}

func (c *Cache) refuse(env *sim.Env, i int, err *wire.Error) {
	env.Send((*c.reads.Read(env))[i].conn, err)
	c.finish(env, i)
}

// finish forgets a read.
func (c *Cache) finish(env *sim.Env, i int) {
	r := &(*c.reads.Change(env))[i]
	switch r.status {
	case readAsks:
		c.client.GiveUp(env, askedByRead-int32(i))
	case readWaits:
		c.removeWaiting(env)
		env.Disarm(readTimer(i))
	}
	env.Disable(readTask(i))
	*r = read{}
}

// store is the newest snapshot and those before it.
type store struct {
	latest  snapshot
	history []snapshot
	// capacity is that of the history.
	capacity int `cell:"-"`
}

// snapshot is the contents at a revision, in the order of keys. They never change.
type snapshot struct {
	rev int64
	kvs []*wire.KeyValue
}

// restore is Restore.
func (s *store) restore(kvs []*wire.KeyValue, rev int64) {
	s.latest = snapshot{rev, kvs}
	s.history = []snapshot{s.latest}
}

// apply is Apply. It returns an error in words, empty if there is none.
func (s *store) apply(p *wire.WatchResponse) string {
	if err := validateRevisions(p, s.latest.rev); err != "" {
		return err
	}
	if p.IsProgressNotify() {
		if s.latest.rev != 0 {
			s.latest.rev = p.Revision
		}
		return ""
	}
	kvs := slices.Clone(s.latest.kvs)
	for i := range p.Events {
		e := &p.Events[i]
		at, found := slices.BinarySearchFunc(kvs, e.Kv.Key, func(kv *wire.KeyValue, key string) int { return strings.Compare(kv.Key, key) })
		switch {
		case e.Type == wire.Delete && !found:
			return "cache: delete non-existent key " + e.Kv.Key
		case e.Type == wire.Delete:
			kvs = slices.Delete(kvs, at, at+1)
		case found:
			kvs[at] = e.Kv
		default:
			kvs = slices.Insert(kvs, at, e.Kv)
		}
		if rev := e.Kv.ModRevision; i+1 == len(p.Events) || p.Events[i+1].Kv.ModRevision != rev {
			s.latest = snapshot{rev, kvs}
			if len(s.history) == s.capacity {
				s.history = slices.Delete(s.history, 0, 1)
			}
			s.history = append(s.history, s.latest)
			kvs = slices.Clone(kvs)
		}
	}
	return ""
}

// at is getSnapshot: the state at a revision, 0 for the newest.
func (s *store) at(rev int64) (*snapshot, *wire.Error) {
	if s.latest.rev == 0 {
		return nil, &wire.Error{Code: wire.Unavailable, Message: "cache: store not ready"}
	}
	if rev == 0 {
		rev = s.latest.rev
	}
	if rev > s.latest.rev {
		return nil, futureRev
	}
	for i := len(s.history) - 1; i >= 0; i-- {
		if s.history[i].rev <= rev {
			return &s.history[i], nil
		}
	}
	return nil, compactedRev
}

var (
	compactedRev = &wire.Error{Code: wire.ErrCompacted, Message: "etcdserver: mvcc: required revision has been compacted"}
	futureRev    = &wire.Error{Code: wire.ErrFutureRev, Message: "etcdserver: mvcc: required revision is a future revision"}
)

// get is Range: the objects of a range; without an end that of a key.
func (s *snapshot) get(key, end string) []*wire.KeyValue {
	var all []*wire.KeyValue
	for _, kv := range s.kvs {
		if kv.Key == key || end != "" && kv.Key >= key && kv.Key < end {
			all = append(all, kv)
		}
	}
	return all
}
