package story

import (
	"github.com/watchbed/watchbed/diagnosis/trace"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/etcd"
)

// focus keeps a slice to what the violation is about. A list reads every object of
// its range, and a cache takes in the events of all keys: only those of the key in
// question are followed, none if the violation is about no key.
func (r *Run) focus() trace.Focus {
	key := r.about.key
	if key == "" {
		key = r.keyOf(r.about.revision)
	}
	return trace.Focus{
		Spontaneous: r.spontaneous(),
		Read: func(c sim.Cell) (sim.Cell, bool) {
			switch {
			case c.Kind == etcd.CellStore && c.Item > 0:
				return c, c.Item == r.about.revision || key != "" && r.keyOf(c.Item) == key
			case c.Kind == store.CellObjects && key == "":
				return c, false
			case c.Kind == store.CellObjects && c.Item == 0:
				c.Item = store.Item(key)
				return c, true
			case c.Kind == store.CellObjects:
				return c, c.Item == store.Item(key)
			}
			return c, true
		},
	}
}

// keyOf is the key that etcd wrote at a revision, empty if that is not known.
func (r *Run) keyOf(revision int64) string {
	step := r.wrote(etcd.CellRevision, revision)
	if revision == 0 || step < 0 {
		return ""
	}
	for _, n := range r.Trace.Steps[step].Notes {
		if s, ok := n.Value.(sim.Subject); ok && s.About().Revision == revision && s.About().Key != "" {
			return s.About().Key
		}
	}
	return ""
}

// spontaneous are the nodes of the workload: all but etcd, the API servers and the
// informers, which follow a protocol.
func (r *Run) spontaneous() map[sim.NodeID]bool {
	nodes := map[sim.NodeID]bool{}
	for i := range r.Trace.Nodes {
		if n := sim.NodeID(i); r.Tiers[n] == ClientTier {
			nodes[n] = true
		}
	}
	for _, n := range r.system.Informers() {
		delete(nodes, n.ID)
	}
	return nodes
}
