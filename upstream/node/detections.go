package node

import (
	"github.com/watchbed/watchbed/sim/cache/check"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// comparison is one of the cache with etcd: which of its process, and the resourceVersion at which both were listed.
type comparison struct {
	number, resourceVersion int64
	outcome                 check.Outcome
}

func readComparison(r *protocol.Reader) comparison {
	return comparison{r.Int(), r.Int(), check.Outcome(r.Byte())}
}

// Detections implements cache.Detecting: those of the consistency checker, with what it counts as their outcomes.
func (n *Node) Detections() []check.Detection { return n.detections }

// note keeps a comparison that has begun or ended. A process has one after the other, minutes apart.
func (n *Node) note(c comparison) {
	if c.number == 0 {
		return
	}
	if len(n.detections) < n.before+int(c.number) {
		n.detections = append(n.detections, check.Detection{By: check.ConsistencyCheck, Prefix: n.cfg.Prefix, ResourceVersion: c.resourceVersion})
	}
	n.detections[len(n.detections)-1].Outcome = c.outcome
}

// abandon ends what a process had under way that is no more.
func (n *Node) abandon() {
	if k := len(n.detections); k > n.before && n.detections[k-1].Outcome == check.Pending {
		n.detections[k-1].Outcome = check.Error
	}
}
