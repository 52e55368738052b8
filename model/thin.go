package model

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
