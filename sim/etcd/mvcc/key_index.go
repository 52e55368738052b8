package mvcc

import "github.com/watchbed/watchbed/sim/wire"

// version is one change of one key: a value or a tombstone. Versions never
// change, so events, answers and clones share them.
type version struct {
	// kv is the key after the change; a tombstone has key and ModRevision only,
	// as the event of a deletion does.
	kv        wire.KeyValue
	tombstone bool
	// sub orders the changes of one transaction.
	sub int32
	// prev is the key's version before this one, nil if there is none or it was
	// compacted. A store that Forgets makes it nil.
	prev *version
}

// at is the version that a reader at rev sees, nil if the key does not exist
// then.
func (v *version) at(rev int64) *version {
	for v != nil && v.kv.ModRevision > rev {
		v = v.prev
	}
	if v == nil || v.tombstone {
		return nil
	}
	return v
}

// event is a change as watchers see it.
func (v *version) event() wire.Event {
	if v.tombstone {
		return wire.Event{Type: wire.Delete, Kv: &v.kv}
	}
	return wire.Event{Type: wire.Put, Kv: &v.kv}
}

// keyIndex is etcd's keyIndex: a key with its newest version, through which the
// older ones are reached.
type keyIndex struct {
	key  string
	last *version
}

func lessKey(a, b keyIndex) bool { return a.key < b.key }
