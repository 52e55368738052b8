package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Detector is who compares what a cache has with what etcd has.
type Detector uint8

const (
	// ConsistencyCheck is KEP-4988's periodic one, over all objects.
	ConsistencyCheck Detector = iota
	// ListDetector is KEP-2340's, over the objects of one answered LIST.
	ListDetector
)

func (d Detector) String() string {
	return [...]string{"the consistency check", "the inconsistency detector"}[d]
}

// DetectionOutcome is how a comparison ended.
type DetectionOutcome uint8

const (
	// DetectionPending: etcd has not answered yet.
	DetectionPending DetectionOutcome = iota
	// DetectionConsistent and DetectionInconsistent: the two were the same, or
	// not.
	DetectionConsistent
	DetectionInconsistent
	// DetectionError: etcd gave no list to compare with, or the process ended.
	DetectionError
)

// Detection is one comparison of what a cache has with what etcd has.
type Detection struct {
	By Detector
	// Prefix and Limit are those of the list; the checker has no limit.
	Prefix string
	Limit  int64
	// ResourceVersion at which both were listed.
	ResourceVersion int64
	// Items are those of the LIST; the checker looks at everything that the
	// cache has.
	Items   []*wire.KeyValue
	Outcome DetectionOutcome
}

// Detections are all comparisons since the run began, in the order in which the
// cache's side was taken; those of processes that have crashed too. They must
// not be changed.
func (c *Cache) Detections() []Detection { return c.detections }

type detections []Detection

func (all *detections) begin(d Detection) int {
	*all = append(*all, d)
	return len(*all) - 1
}

// abandon ends what the process had under way.
func (all detections) abandon() {
	for i := range all {
		if all[i].Outcome == DetectionPending {
			all[i].Outcome = DetectionError
		}
	}
}

func (all detections) fingerprint(d sim.Digest) sim.Digest {
	d = d.Int(int64(len(all)))
	for i := range all {
		d = d.Word(uint64(all[i].By)<<8 | uint64(all[i].Outcome)).Int(all[i].ResourceVersion)
	}
	return d
}
