package check

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// By is the machine that makes a comparison.
type By uint8

const (
	// ConsistencyCheck is KEP-4988's periodic one, over all objects.
	ConsistencyCheck By = iota
	// ListDetector is KEP-2340's, over the objects of one answered LIST.
	ListDetector
)

func (b By) String() string {
	return [...]string{"the consistency check", "the inconsistency detector"}[b]
}

// Outcome is how a comparison ended.
type Outcome uint8

const (
	// Pending: etcd has not answered yet.
	Pending Outcome = iota
	// Consistent: the two were the same.
	Consistent
	// Inconsistent: they were not.
	Inconsistent
	// Error: etcd gave no list to compare with, or the process ended.
	Error
)

// Detection is one comparison of what a cache has with what etcd has.
type Detection struct {
	By By
	// Prefix and Limit are those of the list; the checker has no limit.
	Prefix string
	Limit  int64
	// ResourceVersion at which both were listed.
	ResourceVersion int64
	// Items are those of the LIST; the checker looks at everything that the
	// cache has.
	Items   []*wire.KeyValue
	Outcome Outcome
}

// Log is all comparisons since the run began, in the order in which the cache's
// side was taken; those of processes that have crashed too.
type Log struct{ all []Detection }

// All are the comparisons. They must not be changed.
func (l *Log) All() []Detection { return l.all }

// begin adds a comparison and returns its number.
func (l *Log) begin(env *sim.Env, d Detection) int {
	l.all = append(l.all, d)
	env.WritesItem(cellLog, 0, int64(len(l.all)))
	return len(l.all) - 1
}

// end says how a comparison ended.
func (l *Log) end(env *sim.Env, i int, o Outcome) {
	env.WritesItem(cellLog, 0, int64(i+1))
	l.all[i].Outcome = o
}

// abandon ends what a process had under way.
func (l *Log) abandon() {
	for i := range l.all {
		if l.all[i].Outcome == Pending {
			l.all[i].Outcome = Error
		}
	}
}

func (l *Log) clone() Log { return Log{slices.Clone(l.all)} }

func (l *Log) digest() sim.Digest {
	d := sim.NewDigest.Int(int64(len(l.all)))
	for i := range l.all {
		d = d.Word(uint64(l.all[i].By)<<8 | uint64(l.all[i].Outcome)).Int(l.all[i].ResourceVersion)
	}
	return d
}
