package etcdcache

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim/wire"
)

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
