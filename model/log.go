package model

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
