package node

import (
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
	// objects are in the order of keys.
	objects []*wire.KeyValue
}

// Ready implements cache.Readiness.
func (n *Node) Ready() bool { return n.shown.ready }

// TrustsProgress implements cache.Trusting.
func (n *Node) TrustsProgress() bool { return n.shown.trusts }

// ResourceVersion implements cache.Mirror.
func (n *Node) ResourceVersion() int64 { return n.shown.resourceVersion }

// Ascend implements cache.Mirror.
func (n *Node) Ascend(f func(*wire.KeyValue) bool) {
	for _, kv := range n.shown.objects {
		if !f(kv) {
			return
		}
	}
}

func (n *Node) readShown(r *protocol.Reader) shown {
	s := shown{resourceVersion: r.Int(), ready: r.Bool(), trusts: r.Bool()}
	for range r.Int() {
		s.objects = append(s.objects, n.seen.current(readObject(r)))
	}
	return s
}
