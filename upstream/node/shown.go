package node

import (
	"github.com/watchbed/watchbed/sim"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// shown is what the guest's cache is like after a step. A later step has another one: clones of
// the node share it.
type shown struct {
	resourceVersion int64
	ready           bool
	// trusts: the API server believes that etcd's progress notifications can be trusted.
	trusts bool
	// compacted is the compaction that the cache knows of, 0 if none.
	compacted int64
	objects   contents
}

// contents are the objects of a cache in the order of their keys.
type contents []*wire.KeyValue

func (c contents) ascend(f func(*wire.KeyValue) bool) {
	for _, kv := range c {
		if !f(kv) {
			return
		}
	}
}

// Ready implements cache.Readiness.
func (n *Node) Ready() bool { return n.shown.ready }

// TrustsProgress implements cache.Trusting.
func (n *Node) TrustsProgress() bool { return n.shown.trusts }

// CompactRevision implements cache.Compacting.
func (n *Node) CompactRevision() int64 { return n.shown.compacted }

// ResourceVersion implements cache.Mirror.
func (n *Node) ResourceVersion() int64 { return n.shown.resourceVersion }

// Ascend implements cache.Mirror.
func (n *Node) Ascend(f func(*wire.KeyValue) bool) { n.shown.objects.ascend(f) }

var _ sim.Visible = (*Node)(nil)

// Show implements sim.Visible, with the names that the parts of the simulated cache have.
func (n *Node) Show(visit sim.PartVisitor) {
	if s := &n.shown; s.ready {
		visit("resourceVersion", sim.RevisionEntry(s.resourceVersion))
	} else {
		visit("resourceVersion", sim.Entry{Text: "not ready"})
	}
	var list []sim.Entry
	for _, kv := range n.shown.objects {
		text := strings.TrimPrefix(kv.Key, n.cfg.Prefix) + "=" + kv.Value + " of " + strconv.FormatInt(kv.ModRevision, 10)
		list = append(list, sim.Entry{Text: text, First: kv.ModRevision, Last: kv.ModRevision})
	}
	visit("store", list...)
}

func (n *Node) readShown(r *protocol.Reader) shown {
	now := shown{resourceVersion: r.Int(), ready: r.Bool(), trusts: r.Bool(), compacted: r.Int()}
	n.readComparisons(r)
	now.objects = n.readContents(r)
	return now
}

func (n *Node) readContents(r *protocol.Reader) contents {
	var objects contents
	for range r.Int() {
		objects = append(objects, n.seen.current(readObject(r)))
	}
	return objects
}
