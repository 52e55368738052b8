// Package reads has the properties of what clients read and write.
package reads

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/linearizability/expiry"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// ofHistory makes the judge of a property that package linearizability knows.
func ofHistory(p linearizability.Property) func(*testbed.System) testbed.Judge {
	return func(s *testbed.System) testbed.Judge {
		shared := testbed.Shared(s, func(s *testbed.System) *history { return &history{system: s} })
		shared.properties = append(shared.properties, p)
		return &historyJudge{shared, len(shared.properties) - 1}
	}
}

// ofAnswers makes the judge of a property that package linearizability knows, without
// ground truth.
func ofAnswers(p linearizability.Property) func(*testbed.System) testbed.Judge {
	return func(s *testbed.System) testbed.Judge {
		shared := testbed.Shared(s, func(s *testbed.System) *answers { return &answers{history{system: s}} })
		shared.properties = append(shared.properties, p)
		return &historyJudge{&shared.history, len(shared.properties) - 1}
	}
}

// history judges the history of a run for all properties together: it is loaded
// once.
type history struct {
	system     *testbed.System
	judge      linearizability.Judge
	properties []linearizability.Property
	judgements []linearizability.Judgement
}

// Reset implements testbed.Observer.
func (h *history) Reset() { h.judge.Operations = h.system.JudgedOperations() }

// BeginJudging implements testbed.Preparer.
func (h *history) BeginJudging(*sim.World) {
	recorded := h.system.History()
	var log *model.Log
	if hasUnknownWrites(recorded) || expiry.Possible(recorded) {
		log = h.system.Truth().Log()
	}
	h.check(recorded, log)
}

func (h *history) check(recorded *model.History, log *model.Log) {
	judgements, err := h.judge.Check(recorded, log, h.properties...)
	if err != nil {
		// The witness and porcupine disagree: nothing else would be worth saying.
		panic(&explore.Disputed{Err: err, History: recorded})
	}
	h.judgements = judgements
}

// answers judges the history of a run as one that was recorded from real servers is
// judged: nothing says what became of a write that was not answered. A history without
// such a write is left to the properties of the whole history.
type answers struct{ history }

// answersSteps is porcupine's budget without ground truth, in which a history holds
// after some hundred steps.
const answersSteps = 20_000

// Reset implements testbed.Observer.
func (a *answers) Reset() {
	a.history.Reset()
	a.judge.Steps = answersSteps
}

// BeginJudging implements testbed.Preparer.
func (a *answers) BeginJudging(*sim.World) {
	recorded := a.system.History()
	if !hasUnknownWrites(recorded) {
		recorded = &model.History{Clients: recorded.Clients, Initial: recorded.Initial}
	}
	a.check(expiry.Add(recorded), nil)
	for i := range a.judgements {
		if j := &a.judgements[i]; j.Verdict == model.Undecided {
			// There are too many orders to try: the run says nothing about it.
			j.Verdict, j.Exercised = model.Vacuous, 0
		}
	}
}

func hasUnknownWrites(h *model.History) bool {
	for i := range h.Operations {
		if op := &h.Operations[i]; op.Outcome == model.Unknown && op.Request.IsWrite() {
			return true
		}
	}
	return false
}

// historyJudge judges one property of the history.
type historyJudge struct {
	*history
	index int
}

// Reset implements testbed.Judge.
func (*historyJudge) Reset() {}

// Finding implements testbed.Judge.
func (j *historyJudge) Finding(*sim.World) explore.Finding {
	judged := &j.judgements[j.index]
	f := explore.Finding{Verdict: judged.Verdict, Exercised: judged.Exercised, By: explore.Porcupine}
	if judged.By == linearizability.ByWitness {
		f.By = explore.WitnessAlone
	}
	if judged.Why != nil {
		f.Label, f.Why = string(judged.Why.Anomaly), judged.Why
	}
	return f
}

// anomalies says in a few words what the labels of these properties mean.
var anomalies = map[string]string{
	string(linearizability.Missing):         "stale read",
	string(linearizability.Ghost):           "deleted object seen",
	string(linearizability.Foreign):         "object outside the range",
	string(linearizability.Premature):       "later write seen",
	string(linearizability.Corrupt):         "wrong contents read",
	string(linearizability.Miscounted):      "wrong count",
	string(linearizability.OldRevision):     "old revision",
	string(linearizability.UnmadeRevision):  "revision does not exist",
	string(linearizability.TakenRevision):   "two writes with one revision",
	string(linearizability.SkippedRevision): "revision without a write",
	string(linearizability.Reordered):       "writes out of order",
	string(linearizability.WrongFlag):       "wrong answer to a write",
	string(linearizability.Contradicted):    "write contradicts etcd",
	string(linearizability.Torn):            "pages of different revisions",
	string(linearizability.Unexplained):     "no order of the operations fits",
}
