package model

import "slices"

// events are the changes that a revision made. The caller must not change them.
func (l *Log) events(rev int64) []WatchEvent {
	if rev <= l.first || rev > l.Revision() {
		return nil
	}
	for len(l.changed) < len(l.writes) {
		l.changed = append(l.changed, nil)
	}
	known := &l.changed[rev-l.first-1]
	if *known == nil {
		*known = slices.Clip(found(l.Write(rev), l.At(rev-1), l.At(rev)))
	}
	return *known
}

// found are the changes that a write made. The operations of a transaction make theirs one
// after the other: one may delete everything from a key on, and another put a key there.
func found(write *Request, before, after *Store) []WatchEvent {
	if write.Kind != Txn {
		return difference(nil, write, after.revision, before, before, after)
	}
	var events []WatchEvent
	state := before
	before.taken(write, func(op *Request) bool {
		if op.Kind == Put || op.Kind == Delete {
			next := state.Clone()
			next.write(op, after.revision)
			events = difference(events, op, after.revision, before, state, next)
			state = next
		}
		return true
	})
	return events
}

// difference adds the changes that one operation made of a state, in key order. The item
// before each is that of the revision before, as etcd sends it.
func difference(events []WatchEvent, op *Request, rev int64, earlier, before, after *Store) []WatchEvent {
	changed := func(key string) {
		was, is := before.Get(key), after.Get(key)
		switch {
		case is != nil && is != was:
			events = append(events, WatchEvent{Type: PutEvent, Item: is, PrevItem: earlier.Get(key), Revision: rev})
		case is == nil && was != nil:
			events = append(events, WatchEvent{Type: DeleteEvent, Item: &Item{Key: key, ModRevision: rev}, PrevItem: earlier.Get(key), Revision: rev})
		}
	}
	key, end := op.Key, op.End
	switch op.Kind {
	case Put:
		changed(op.Key)
		return events
	case LeaseRevoke:
		key, end = everything, everything
	}
	before.Ascend(key, end, func(it *Item) bool {
		changed(it.Key)
		return true
	})
	return events
}
