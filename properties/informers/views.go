package informers

import "github.com/watchbed/watchbed/testbed"

// views are what informers showed after the last step, by their order.
type views []view

// view is the resourceVersion of an informer, and how often it has filled its
// store by a WatchList and by a LIST, or changed it behind its queue.
type view struct {
	version          int64
	streamed, listed int
	changes          int
}

func (v *views) reset(s *testbed.System) {
	*v = (*v)[:0]
	for range s.Informers() {
		*v = append(*v, view{})
	}
}

// changed takes note of what an informer shows now, and reports whether it shows
// something at all that it has not shown after the last step.
func (v views) changed(s *testbed.System, n *testbed.Informer) bool {
	now := view{n.ResourceVersion(), n.Record().Streamed, n.Record().Listed, n.Changes()}
	at := &v[n.ID-s.Informers()[0].ID]
	before := *at
	*at = now
	return now.version != 0 && (now.version != before.version || now.streamed > before.streamed || now.listed > before.listed || now.changes > before.changes)
}
