package apiserver

import (
	"iter"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage/cacher"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// Host is what runs the storage.
type Host interface {
	// Send takes a message, which is valid during the call only.
	Send(*protocol.Writer)
	// Seed seeds the generators of the runtime, if the host can.
	Seed(uint64)
	// Locker guards what goroutines share that are not Kubernetes' own. Where goroutines switch only when they wait, it
	// has nothing to do.
	sync.Locker
	Cache
}

// Cache reads and sets what the cacher keeps to itself. All goroutines but the one that calls wait, so that no lock is
// held half-way.
type Cache interface {
	// Contents is the resourceVersion of the watch cache, and its objects, in the order of their keys.
	Contents(*cacher.Cacher) (uint64, iter.Seq[runtime.Object])
	// Compacted is the compaction that the cacher has carried out in its snapshots, 0 if none.
	Compacted(*cacher.Cacher) int64
	// SetHistory sets how many events an empty history holds at least and at most, and for how long. What is zero
	// stays.
	SetHistory(c *cacher.Cacher, least, most int, fresh time.Duration)
	// SetChecks sets the time from one consistency check to the next, 0 for the release's, and whether the cacher
	// panics where a check, or another of its invariants, fails.
	SetChecks(period time.Duration, panics bool)
	// AscendSnapshots calls f for each snapshot, the oldest first, with the resourceVersion from which on it holds.
	AscendSnapshots(c *cacher.Cacher, f func(uint64, iter.Seq[runtime.Object]))
}
