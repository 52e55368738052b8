package campaign

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// batchSize is how many seeds a worker takes at once. It is part of the result: the hash
// is one over batches. A campaign may end within one, as that of so many seeds does.
const batchSize = 32

// batch is what consecutive seeds came to.
type batch struct {
	number     uint64
	schedules  uint64
	stats      sim.Stats
	truncated  uint64
	rechecked  uint64
	neverReady uint64
	hash       sim.Digest
	properties []PropertyTally
	situations []SituationTally
	// metrics is nil for untimed runs.
	metrics  []MetricTally
	failures []FailureTally
	// cut: the worker stopped before the end of the batch.
	cut bool
	err error
}

func newBatch() *batch {
	return &batch{hash: sim.NewDigest, situations: make([]SituationTally, len(sim.Situations()))}
}

// add adds the run of a seed that has just ended in the world.
func (b *batch) add(seed uint64, res *explore.Result, world *sim.World) {
	b.schedules++
	b.hash = b.hash.Word(uint64(res.TraceHash))
	addStats(&b.stats, &res.Stats)
	if res.Truncated {
		b.truncated++
	}
	if res.NeverReady {
		b.neverReady++
	}
	for i := range res.Findings {
		f := &res.Findings[i]
		p := tallyOf(&b.properties, i, f.Property)
		p.Verdict = p.Verdict.And(f.Verdict)
		p.Exercised += uint64(f.Exercised)
		switch f.By {
		case explore.Porcupine:
			p.Porcupine++
		case explore.WitnessAlone:
			p.Witness++
		}
		if f.Verdict == model.Violated {
			p.Violations++
			addFailure(&b.failures, FailureTally{Failure: f.Failure(), FirstSeed: seed, Schedules: 1})
		}
	}
	for i := range b.situations {
		if n := world.Count(sim.Situation(i)); n > 0 {
			b.situations[i].Times += n
			b.situations[i].Schedules++
		}
	}
	b.addMetrics(world)
}

func (b *batch) addMetrics(world *sim.World) {
	if world.Mode() != sim.Timed {
		return
	}
	if b.metrics == nil {
		for _, m := range metric.All() {
			b.metrics = append(b.metrics, MetricTally{Metric: m})
		}
	}
	for i := range b.metrics {
		b.metrics[i].Merge(world.Metric(b.metrics[i].Metric))
	}
}
