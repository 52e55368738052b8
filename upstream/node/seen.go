package node

import (
	"maps"
	"slices"

	"github.com/watchbed/watchbed/sim/wire"
)

// seen are the key-values that etcd has sent, by key, in the order of their revisions.
// Kubernetes' objects have no revision but their resourceVersion: what an object was in
// etcd is looked up here, if key, resourceVersion and value are the same.
type seen map[string][]*wire.KeyValue

func (s seen) add(kv *wire.KeyValue) {
	of := s[kv.Key]
	at, found := slices.BinarySearchFunc(of, kv.ModRevision, byRevision)
	if !found {
		s[kv.Key] = slices.Insert(of, at, kv)
	}
}

func byRevision(kv *wire.KeyValue, revision int64) int { return int(kv.ModRevision - revision) }

// current is the object as etcd has it.
func (s seen) current(o *wire.KeyValue) *wire.KeyValue {
	of := s[o.Key]
	if at, found := slices.BinarySearchFunc(of, o.ModRevision, byRevision); found && of[at].Value == o.Value {
		return of[at]
	}
	return o
}

// before is the state that an object had until it was deleted, whose resourceVersion is that
// of the deletion.
func (s seen) before(o *wire.KeyValue) *wire.KeyValue {
	of := s[o.Key]
	if at, _ := slices.BinarySearchFunc(of, o.ModRevision, byRevision); at > 0 && of[at-1].Value == o.Value {
		return of[at-1]
	}
	return o
}

func (s seen) clone() seen {
	c := maps.Clone(s)
	for key, of := range c {
		c[key] = slices.Clone(of)
	}
	return c
}

func (s seen) addRanged(kvs []*wire.KeyValue) {
	for _, kv := range kvs {
		s.add(kv)
	}
}

func (s seen) addEvents(p *wire.WatchResponse) {
	for i := range p.Events {
		e := &p.Events[i]
		if e.Type == wire.Put {
			s.add(e.Kv)
		}
		if e.PrevKv != nil {
			s.add(e.PrevKv)
		}
	}
}
