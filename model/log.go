package model

import "slices"

// Log is ground truth: the committed writes in commit order, and the store that
// they make at every revision. CheckWatch keeps in it what it finds out, so that one Log
// is not for several goroutines.
type Log struct {
	first   int64
	initial *Store
	// stores[i] is the contents at revision first+i, nil where they are left out (thin). The
	// newest is needed if something changed in it without an event.
	stores []*Store
	needed bool
	writes []*Request
	// changed[i] are the events of revision first+1+i, from when they were first asked
	// for: each watcher is held against them, and each of its streams several times.
	changed [][]WatchEvent
	// leases are the changes of leases, in their order.
	leases []leaseChange
}

// NewLog starts a log at the given contents.
func NewLog(init Initial) *Log {
	store := NewStore(init)
	return &Log{first: init.Revision, initial: store, stores: []*Store{store}}
}

// Restart forgets all writes: the log is at the given contents again.
func (l *Log) Restart() {
	l.stores = append(l.stores[:0], l.initial)
	l.writes, l.changed, l.leases, l.needed = l.writes[:0], l.changed[:0], l.leases[:0], false
}

// Append replays one more committed request. Requests that change nothing add
// no revision; a compaction marks the newest state only.
func (l *Log) Append(r *Request) {
	cur := l.stores[len(l.stores)-1]
	next := cur.Clone()
	next.Apply(r)
	if r.Lease != 0 && r.Kind != Put {
		l.noteLease(r, cur, next)
	}
	if next.revision == cur.revision {
		l.stores[len(l.stores)-1] = next
		l.needed = true
		return
	}
	l.stores = append(l.stores, next)
	l.writes = append(l.writes, r)
	l.thin()
	l.needed = r.Kind == LeaseRevoke
}

// Revision is the newest revision.
func (l *Log) Revision() int64 { return l.first + int64(len(l.stores)) - 1 }

// First is the oldest revision that At knows.
func (l *Log) First() int64 { return l.first }

// At returns the store at a revision, nil if the log does not reach there. The
// caller must not change it.
func (l *Log) At(rev int64) *Store {
	if rev < l.first || rev > l.Revision() {
		return nil
	}
	if s := l.stores[rev-l.first]; s != nil {
		return s
	}
	return l.madeAgain(rev)
}

// Write returns the request that made a revision, nil for the first one and for
// those out of reach.
func (l *Log) Write(rev int64) *Request {
	i := rev - l.first - 1
	if i < 0 || i >= int64(len(l.writes)) {
		return nil
	}
	return l.writes[i]
}

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

// A store takes kilobytes more than the one before it, and a recording can have a million
// revisions. Of a log that is longer than allKept, one store in storesApart is kept, and those in
// which something changed without an event: a lease or the compacted revision. The others are
// made again from the events. A campaign has no log that is as long.
const (
	allKept     = 10_000
	storesApart = 64
)

// thin leaves out the store before the newest one if it can be made again. Events are found
// in time, as they are the differences of two stores.
func (l *Log) thin() {
	last := len(l.stores) - 2
	if last < allKept {
		return
	}
	l.events(l.Revision())
	if last > allKept && last%storesApart != 0 && !l.needed {
		l.stores[last] = nil
	}
}

// madeAgain is the store of a revision that was left out.
func (l *Log) madeAgain(rev int64) *Store {
	to := int(rev - l.first)
	from := to
	for l.stores[from] == nil {
		from--
	}
	s := l.stores[from].Clone()
	for _, events := range l.changed[from:to] {
		for i := range events {
			if e := &events[i]; e.Type == DeleteEvent {
				s.deleteRange(e.Item.Key, "")
			} else {
				s.set(e.Item)
			}
		}
	}
	s.revision = rev
	return s
}

// before is the item of a key before a revision that the log has or goes up to.
func (l *Log) before(rev int64, key string) *Item {
	for _, e := range l.events(rev) {
		if e.Item.Key == key {
			return e.PrevItem
		}
	}
	return l.At(rev - 1).Get(key)
}

// Answers are the results that a request may have had, if its answer, shown, names a revision:
// for a write, that it made the revision, and that it changed nothing there. There is
// none if etcd has no such answer. The log must reach to that revision.
func (l *Log) Answers(r *Request, shown *Result) []Result {
	rev := shown.Revision
	if !r.IsWrite() {
		at := rev
		if r.Freshness == Exact {
			at = r.Revision
		}
		if s := l.At(at); s != nil {
			res := s.read(r, shown)
			res.Revision = rev
			return []Result{res}
		}
		return nil
	}
	var all []Result
	for _, from := range [2]int64{rev - 1, rev} {
		s := l.At(from)
		if s == nil {
			continue
		}
		if res := s.Clone().apply(r, shown); res.Revision == rev {
			l.readPast(r, shown, &res)
			all = append(all, res)
		}
	}
	return all
}

// readPast answers the reads of a transaction that ask for the past, which a store does
// not know.
func (l *Log) readPast(r *Request, shown, res *Result) {
	branch := r.Branch(res.Succeeded)
	for i := range res.Results {
		if branch[i].Kind == Txn {
			l.readPast(&branch[i], shown.at(i), &res.Results[i])
		}
		if branch[i].Freshness != Exact {
			continue
		}
		res.Results[i] = Result{}
		if s := l.At(branch[i].Revision); s != nil {
			res.Results[i] = s.read(&branch[i], shown.at(i))
			res.Results[i].Revision = 0
		}
	}
}

// at is the result of an operation of a transaction, an empty one if there is none.
func (r *Result) at(i int) *Result {
	if i < len(r.Results) {
		return &r.Results[i]
	}
	return &Result{}
}

// Equal compares everything in two results.
func (r *Result) Equal(q *Result) bool {
	return r.Revision == q.Revision && r.Count == q.Count && r.More == q.More && r.Deleted == q.Deleted &&
		r.Succeeded == q.Succeeded && r.Err == q.Err && slices.EqualFunc(r.Items, q.Items, equalItems) &&
		slices.EqualFunc(r.Prev, q.Prev, equalItems) &&
		slices.EqualFunc(r.Results, q.Results, func(a, b Result) bool { return a.Equal(&b) })
}

func equalItems(a, b *Item) bool { return *a == *b }
