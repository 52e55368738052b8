package node

import (
	"github.com/watchbed/watchbed/sim/cache/check"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// outcomes are those of comparisons, by how the guest tells them.
var outcomes = map[byte]check.Outcome{
	protocol.Pending: check.Pending, protocol.Consistent: check.Consistent, protocol.Inconsistent: check.Inconsistent, protocol.CheckFailed: check.Error,
}

// Detections implements cache.Detecting: those of the consistency checker, with what it counts as their outcomes.
func (n *Node) Detections() []check.Detection { return n.detections }

// readComparisons takes in the comparisons of the present process from one of them on, by their places there.
func (n *Node) readComparisons(r *protocol.Reader) {
	n.detections = n.detections[:n.before+int(r.Int())]
	for range r.Int() {
		n.detections = append(n.detections, check.Detection{
			By: check.ConsistencyCheck, Prefix: n.cfg.Prefix, ResourceVersion: r.Int(), Outcome: outcomes[r.Byte()],
		})
	}
}

// abandon ends the comparison under way: its process crashes.
func (n *Node) abandon() {
	if k := len(n.detections); k > n.before && n.detections[k-1].Outcome == check.Pending {
		n.detections[k-1].Outcome = check.Error
	}
}
