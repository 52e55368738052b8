package read

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// measured is the last measurement of the memory of answers (KEP-3157, "Alternatives", 2): the objects in answers that
// clients are still being sent, and when it was. To measure is expensive (runtime.ReadMemStats stops the world), so it
// is done once in Limits.MeasurePeriod at most, and what is answered meanwhile is not seen.
type measured struct {
	objects int
	at      sim.Time
	begun   bool
}

// answersExceedMemory reports whether a LIST has to be refused now. A measurement depends on what the world has
// delivered, which no cell of a node says.
func (d *Delegator) answersExceedMemory(env *sim.Env) bool {
	if d.cfg.AnswersLimit == 0 {
		return false
	}
	m := d.measured.Read(env)
	if !m.begun || env.Elapsed(m.at, d.cfg.MeasurePeriod) {
		env.TouchesAll()
		env.Cover(memoryMeasured)
		*m = measured{0, env.Now(), true}
		env.UnderWay(func(first *sim.Message, _ int) {
			if answer, ok := first.Payload.(*wire.ListResponse); ok {
				m.objects += len(answer.Items)
			}
		})
	}
	if m.objects < d.cfg.AnswersLimit {
		return false
	}
	env.Cover(memoryExceeded)
	return true
}

var memoryExhausted = &wire.Error{Code: wire.TooManyRequests, Message: "too much memory is in use for answers: retry after 1 s", RetryAfter: 1}

var (
	memoryMeasured = sim.NewCoveragePoint("cache: memory of answers measured")
	memoryExceeded = sim.NewCoveragePoint("cache: list refused because the memory of answers is above its limit")
)
