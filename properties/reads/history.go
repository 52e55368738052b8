// Package reads has the properties of what clients read and write.
package reads

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/linearizability/items"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// Exact is exercised by answered reads at an exact resourceVersion.
var Exact = guarantee(testbed.Property{
	Name:     "exact",
	Promise:  "A read at an exact resourceVersion is answered with the state at that version, or refused.",
	Violated: "not the state of that revision",
	Weight:   5,
})

// Linearizable is judged by the revision witness and by porcupine. It is exercised
// by consistent reads after a completed write.
var Linearizable = guarantee(testbed.Property{
	Name:     "linearizable",
	Promise:  "Writes and consistent reads have one total order that respects real time; a LIST's items and its resourceVersion must both fit.",
	Violated: "not linearizable",
	Weight:   7,
})

// LinearizableAnswers is linearizable as clients can judge it, who do not know what
// became of the writes that were not answered: porcupine tries every fate of them. Ground
// truth, which Linearizable has, would explain the effect of a write that a client was
// told to be refused. It is exercised by consistent reads after a completed write, in
// histories with a write that was not answered.
var LinearizableAnswers = testbed.RegisterProperty(&testbed.Property{
	Name:     "linearizable-answers",
	Promise:  "Some fate of each write that was not answered explains all answers to the others: writes and consistent reads have one total order.",
	Violated: "no order of the answers fits", Labels: anomalies,
	Weight: 6,
	New:    ofAnswers(linearizability.Linearizable),
})

// LinearizableData is Linearizable without the LIST's own resourceVersion: if it
// is violated, a completed write is missing, or what was gone is seen. It is
// exercised by consistent reads after a completed write.
var LinearizableData = guarantee(testbed.Property{
	Name:     "linearizable-data",
	Promise:  "Writes and consistent reads have one total order that respects real time; only the items of a LIST must fit, whatever resourceVersion it names.",
	Violated: "not linearizable",
	Weight:   8,
})

// Monotonic is exercised by reads after another read of the same client.
var Monotonic = guarantee(testbed.Property{
	Name:     "monotonic",
	Promise:  "No client reads an older state than it has read before, whichever cache it asks.",
	Violated: "client goes back in time",
	Weight:   4,
})

// guarantee is a property that package linearizability knows by the same name.
func guarantee(p testbed.Property) *testbed.Property {
	of := linearizability.Property(p.Name)
	p.Labels, p.New, p.Past = anomalies, ofHistory(of), pastOf(of)
	if of == linearizability.Exact || of == linearizability.NotOlderThan {
		p.Past = testbed.NoPast
	}
	p.TimedPast = p.Past
	return testbed.RegisterProperty(&p)
}

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
	h.check(recorded, logFor(h.system, recorded))
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
	a.check(items.WithExpiries(recorded), nil)
	for i := range a.judgements {
		if j := &a.judgements[i]; j.Verdict == model.VerdictUnknown {
			// There are too many orders to try: the run says nothing about it.
			j.Verdict, j.Exercised = model.Vacuous, 0
		}
	}
}

// logFor is what etcd committed, nil if the history has all of that.
func logFor(s *testbed.System, recorded *model.History) *model.Log {
	if hasUnknownWrites(recorded) || items.ExpiryPossible(recorded) {
		return s.Truth().Log()
	}
	return nil
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

// pastOf makes the past of a property that package linearizability knows.
func pastOf(p linearizability.Property) func(*testbed.System) testbed.Past {
	return func(s *testbed.System) testbed.Past { return &past{system: s, property: p} }
}

// past is what the witness keeps of the history.
type past struct {
	system   *testbed.System
	property linearizability.Property
	witness  linearizability.Witness
	kept     []linearizability.Kept
	// sums are by client.
	sums []sim.Digest
}

func (p *past) load() (clients int) {
	recorded := p.system.History()
	p.witness.Load(recorded, logFor(p.system, recorded))
	p.kept = p.witness.Past(p.kept[:0], p.property)
	return len(recorded.Clients)
}

// Digest implements testbed.Past. What is kept is summed up: in which order clients made
// their calls does not matter any more.
func (p *past) Digest(d sim.Digest) sim.Digest {
	p.load()
	var sum sim.Digest
	for _, k := range p.kept {
		sum = sum.And(sim.NewDigest.Int(int64(k.Client)).Int(int64(k.Operation)).Int(k.Revision))
	}
	return d.Fold(sum)
}
