package campaign

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// PropertyTally is one property over all runs.
type PropertyTally struct {
	Name string
	// Verdict joins those of the runs. A property that no run checked is vacuous.
	Verdict model.Verdict
	// Exercised is how often it was checked, Violations in how many runs it was
	// violated.
	Exercised, Violations uint64
	// Porcupine is how many histories porcupine judged, Witness how many the witness alone.
	Porcupine, Witness uint64
}

// CoveragePointTally is how often a coverage point came about.
type CoveragePointTally struct {
	CoveragePoint sim.CoveragePoint
	// Times is how often in all, Schedules in how many runs.
	Times, Schedules uint64
}

// MetricTally is one metric over all runs.
type MetricTally struct {
	Metric metric.Metric
	metric.Distribution
}

// FailureTally is one way to fail.
type FailureTally struct {
	Failure explore.Failure
	// FirstSeed is the first seed that failed in this way, Schedules how many did.
	FirstSeed, Schedules uint64
	// Further are the next seeds that failed in this way, as many as are kept.
	Further []uint64
}

// maxFurther is how many seeds are kept beside the first one: enough to tell what stories
// of one failure have in common.
const maxFurther = 11

func (f *FailureTally) keep(seeds ...uint64) {
	more := min(len(seeds), maxFurther-len(f.Further))
	f.Further = append(f.Further, seeds[:more]...)
}

func addFailure(list *[]FailureTally, f FailureTally) {
	for i := range *list {
		known := &(*list)[i]
		if known.Failure != f.Failure {
			continue
		}
		known.Schedules += f.Schedules
		known.keep(f.FirstSeed)
		known.keep(f.Further...)
		return
	}
	*list = append(*list, f)
}
