package mvcc

// Waiting is how many watchers are not synced: they have something to be sent, or are in
// the hands of a loop.
func (s *WatchableStore) Waiting() int {
	n := 0
	for _, ws := range s.streams {
		for _, w := range ws.watchers {
			if w.group != synced && !w.compacted {
				n++
			}
		}
	}
	return n
}

// Has reports whether the stream has a watcher with an id.
func (ws *WatchStream) Has(id int64) bool { return ws.find(id) != nil }
