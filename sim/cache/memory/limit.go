package memory

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Limit is a threshold for the answers that a process is sending, and the last
// measurement. To measure is expensive (runtime.ReadMemStats stops the world), so it is
// done once in a period at most, and what is answered meanwhile is not seen.
type Limit struct {
	// objects is the threshold, 0 is none; period is the time between two
	// measurements.
	objects int
	period  sim.Duration
	// measured is what the last measurement found, which was at that time.
	measured int
	at       sim.Time
	begun    bool
}

var (
	cellMeasured = sim.NewCell("cache: measured memory")

	memoryMeasured = sim.NewSituation("cache: memory of answers measured")
	memoryExceeded = sim.NewSituation("cache: list refused because the memory of answers is above its limit")
)

// Reset makes it the limit of a new process.
func (l *Limit) Reset(objects int, period sim.Duration) { *l = Limit{objects: objects, period: period} }

// Exceeded reports whether a LIST has to be refused now.
func (l *Limit) Exceeded(env *sim.Env) bool {
	if l.objects == 0 {
		return false
	}
	env.Reads(cellMeasured, 0)
	if !l.begun || env.Elapsed(l.at, l.period) {
		l.measure(env)
	}
	if l.measured < l.objects {
		return false
	}
	env.Cover(memoryExceeded)
	return true
}

// measure depends on what the world has delivered, which no cell of a node says.
func (l *Limit) measure(env *sim.Env) {
	env.TouchesAll()
	env.Cover(memoryMeasured)
	l.measured, l.at, l.begun = 0, env.Now(), true
	env.UnderWay(func(first *sim.Message, _ int) {
		if answer, ok := first.Payload.(*wire.ListResponse); ok {
			l.measured += len(answer.Items)
		}
	})
}

// Cells visits the last measurement.
func (l *Limit) Cells(visit sim.CellVisitor) {
	if l.objects > 0 {
		visit(cellMeasured, 0, sim.NewDigest.Int(int64(l.measured)).Int(int64(l.at)).Bool(l.begun))
	}
}

// Refusal is the answer to a LIST above the threshold.
var Refusal = &wire.Error{Code: wire.TooManyRequests, Message: "too much memory is in use for answers: retry after 1 s", RetryAfter: 1}
