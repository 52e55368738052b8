package store

// Outdated is how many of these events hold an object that is in the store no more, so
// that they alone keep it in memory. It is for measuring: it declares no reads.
func (s *Store) Outdated(events []Event) int {
	n := 0
	for i := range events {
		e := events[i].ForWatchers
		if e == nil || e.Item == nil || e.Item.ModRevision == 0 {
			continue
		}
		if now, ok := s.objects.tree.Get(e.Item); !ok || now.ModRevision != e.Item.ModRevision {
			n++
		}
	}
	return n
}
