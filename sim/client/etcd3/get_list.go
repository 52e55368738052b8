package etcd3

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// list is a list of etcd3's store that comes as a stream (store.streamChunks). The zero value
// is none.
type list struct {
	// caller waits for the list.
	caller  sim.Conn
	from    sim.NodeID
	cause   sim.Cause
	request *wire.RangeRequest
	stream  sim.Conn
	// began: an element has come, so that etcd knows the method.
	began bool
	kvs   []*wire.KeyValue
	// last is the chunk with the header, nil before.
	last *wire.RangeStreamResponse
}

func (l *list) used() bool { return l.request != nil }

func (l *list) digest() sim.Digest {
	d := l.request.Digest(sim.NewDigest.Word(uint64(l.from)).Bool(l.began))
	for _, kv := range l.kvs {
		d = kv.Digest(d)
	}
	if l.last != nil {
		d = l.last.Digest(d)
	}
	return d
}

// GetList is store.GetList as far as it streams: whole lists of a prefix. It returns false if
// the list is to be read by one Range: a page, one object, keys only, or an etcd that does not
// know streams. Upstream also streams pages without a selector, in one chunk as a rule.
func (c *Watcher) GetList(env *sim.Env, caller sim.Conn, from sim.NodeID, p *wire.RangeRequest) bool {
	if p.RangeEnd == "" || p.Limit > 0 || p.KeysOnly || p.CountOnly || !c.streams(env) {
		return false
	}
	env.Cover(listStreamed)
	i := slices.IndexFunc(c.lists, func(l list) bool { return !l.used() })
	if i < 0 {
		i = len(c.lists)
		c.lists = append(c.lists, list{})
	}
	env.Writes(cellLists, 0)
	env.Writes(cellList, i)
	l := &c.lists[i]
	*l = list{caller: caller, from: from, cause: env.Cause(), request: p, kvs: l.kvs[:0]}
	l.stream = c.client.GetStream(env, p, l.cause)
	return true
}

// listStreamed takes an element of a list's stream, or its end.
func (c *Watcher) listStreamed(env *sim.Env, i int, p sim.Payload) {
	env.Reads(cellList, i)
	env.Writes(cellList, i)
	l := &c.lists[i]
	switch p := p.(type) {
	case *wire.RangeStreamResponse:
		l.began = true
		l.kvs = append(l.kvs, p.Kvs...)
		if p.Revision != 0 {
			l.last = p
		}
	case *wire.Error:
		c.listFailed(env, i, p)
	case *sim.Hangup:
		done := c.endList(env, i)
		if done.last == nil {
			env.Send(done.caller, errNoRevision)
			return
		}
		env.Under(done.cause)
		env.Send(done.caller, c.DecodeAnswer(env, &wire.RangeResponse{
			Revision: done.last.Revision, Kvs: slices.Clone(done.kvs), More: done.last.More, Count: done.last.Count,
		}))
	}
}

// listFailed reads the list by one Range if etcd does not know streams, and else ends it: no
// part of it was returned, but a stream is not repeated.
func (c *Watcher) listFailed(env *sim.Env, i int, err *wire.Error) {
	began := c.lists[i].began
	failed := c.endList(env, i)
	env.Close(failed.stream)
	env.Under(failed.cause)
	if err.Code == wire.Unimplemented && !began {
		c.markUnsupported(env)
		c.client.Invoke(env, failed.caller, failed.from, failed.request)
		return
	}
	env.Cover(listStreamFailed)
	env.Send(failed.caller, err)
}

// endList frees the place of a list.
func (c *Watcher) endList(env *sim.Env, i int) list {
	env.LooksAt(cellLists, 0)
	l := c.lists[i]
	c.lists[i] = list{kvs: l.kvs[:0]}
	return l
}

// ListGivenUp stops the stream of a list whose caller is gone. It returns false if there is
// none.
func (c *Watcher) ListGivenUp(env *sim.Env, caller sim.Conn) bool {
	i := slices.IndexFunc(c.lists, func(l list) bool { return l.used() && l.caller == caller })
	if i < 0 {
		return false
	}
	env.Writes(cellList, i)
	env.Close(c.endList(env, i).stream)
	return true
}
