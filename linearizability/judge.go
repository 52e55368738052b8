package linearizability

import (
	"fmt"

	"github.com/watchbed/watchbed/model"
)

// Judgement is the result of a Judge for one property of one history.
type Judgement struct {
	Property Property
	Verdict  model.Verdict
	// Exercised counts the operations on which the property was checked:
	//   - Linearizable and LinearizableData: consistent reads after a completed
	//     write; where porcupine judges, transactions that read, too
	//   - Sequential: reads of a client that had written or seen a write before
	//   - Monotonic: reads after another read of the same client
	//   - ReadYourWrites: reads after a completed write of the same client
	//   - NotOlderThan and Exact: answered reads
	//   - Pages: pages after the first
	//
	// A violation ends the count.
	Exercised int
	// By is the checker that gave the verdict.
	By By
	// Steps is the number of steps that porcupine took, 0 if it did not run or if its
	// verdict follows from that on a stronger property.
	Steps int
	// Why is set if and only if the property is violated.
	Why *Explanation

	// Stuck is the operation that the witness stumbled over, Spent that it gave up.
	Stuck int
	Spent bool
}

// Recorded is how a history is judged that was recorded without ground truth, which package recorded finds out.
type Recorded struct {
	// Decide: porcupine is asked about a history of any size if the verdict of the witness is unknown.
	Decide bool
	// Guessed: the history is one completion of what was recorded. Others may hold where it does not.
	Guessed bool
	// Lost: the history was recorded without what became of some write.
	Lost bool
	// Of are the operations that others are part of: what the answer of one says of the revision before is another one.
	Of map[int]int
}

// By names the checkers that gave a verdict.
type By uint8

// ByBoth is the strongest: two independent checkers agree.
const (
	ByWitness By = iota
	ByPorcupine
	ByBoth
)

var byNames = [...]string{"witness", "porcupine", "witness and porcupine"}

func (b By) String() string { return byNames[b] }

// Judge judges histories. The witness judges every history. Porcupine, whose
// verdict counts, judges a history if it is small or if a violation is to be
// reported. The zero value is ready to use. A Judge can be used many times, by
// one goroutine at a time.
type Judge struct {
	// Operations is the size of history up to which porcupine judges all of
	// them; 0 stands for DefaultOperations, a negative number for none.
	Operations int
	// Steps is porcupine's budget for one property of one history, in calls of
	// its step function; 0 stands for DefaultSteps, more for a long history, or the fewer for which
	// there is memory.
	Steps int

	witness    Witness
	porcupine  Porcupine
	judgements []Judgement
	// linearizable: porcupine has found an order for the history that is loaded, which
	// respects real time.
	linearizable bool
	how          Recorded
	// returned is the memory of ordersPrograms: when each client had its last answer.
	returned []int64
}

// The default sizes of what porcupine is asked. Histories of 64 operations
// take it a tenth of a millisecond; 200,000 steps, a fraction of a second.
const (
	DefaultOperations = 64
	DefaultSteps      = 200_000
)

// stepsEach is the number of additional steps for each operation: each of the concurrent operations is tried.
const stepsEach = 20

// porcupineOperations is the size of history beyond which porcupine is not
// asked even about a violation: giving up alone would take it minutes.
const porcupineOperations = 10_000

// porcupineMemory is Porcupine.Memory unless a budget is given.
const porcupineMemory = 256 << 20

// Disagreement is the error that the witness and porcupine gave different
// verdicts: one of the two is wrong, and nothing else that this program says of
// the history can be trusted.
type Disagreement struct {
	Property           Property
	Witness, Porcupine model.Verdict
}

func (d *Disagreement) Error() string {
	return fmt.Sprintf("internal error: on %q the witness says %v and porcupine says %v; please report this history",
		d.Property, d.Witness, d.Porcupine)
}

// Check judges the properties in the order given. The log is ground truth, nil
// if there is none. What it returns is valid until the next Check. The error is
// nil or a *Disagreement.
func (j *Judge) Check(h *model.History, log *model.Log, props ...Property) ([]Judgement, error) {
	return j.check(h, log, Recorded{}, props)
}

// CheckRecorded is Check without ground truth.
func (j *Judge) CheckRecorded(h *model.History, how Recorded, props ...Property) ([]Judgement, error) {
	return j.check(h, nil, how, props)
}

// History is the history that was judged last, nil after Forget.
func (j *Judge) History() *model.History { return j.witness.history }

// Forget lets go of the history that was judged last.
func (j *Judge) Forget() { j.witness.history = nil }

// Name is how a sentence about the history that was judged last calls an operation.
func (j *Judge) Name(op int) string { return j.witness.name(op) }

// Memory is what so many steps of porcupine about the history that was judged last may take.
func (j *Judge) Memory(steps int, p Property) string { return j.porcupine.memory(steps, p) }

func (j *Judge) check(h *model.History, log *model.Log, how Recorded, props []Property) ([]Judgement, error) {
	j.judgements, j.linearizable, j.how = j.judgements[:0], false, how
	j.witness.Load(h, log)
	var failure error
	for _, p := range props {
		v, exercised, f, t := j.witness.check(p, !how.Guessed)
		out := Judgement{Property: p, Verdict: v, Exercised: exercised, Stuck: int(f.op), Spent: j.witness.timeline.spent()}
		if p.IsOrder() && !h.Partial && j.recorded(len(h.Operations), v) {
			if err := j.record(h, log, &out); err != nil && failure == nil {
				failure = err
			}
		}
		if out.Verdict == model.Violated {
			if w := &j.witness; !f.shared && w.isOpen() && log == nil {
				// That porcupine finds no order does not say why.
				if shared, _, all := w.inEveryCompletion(p); shared.kind != nothing {
					f, t = shared, all
				}
			}
			out.Why = explain(&explainer{&j.witness, t, how.Of}, p, f)
			// Where porcupine can finish, it can say with which answer it begins that no write
			// can have made a revision.
			if out.Why.Anomaly == Unexplained || f.shared && f.kind == revisionMissing && out.By == ByBoth {
				if op := j.porcupine.firstAnswer(h, log, p, j.steps(h)); op >= 0 {
					out.Why.firstUnexplained(&j.witness, op, how.Lost)
				}
			}
		}
		j.judgements = append(j.judgements, out)
	}
	return j.judgements, failure
}

// recorded reports whether porcupine is asked about a history of so many
// operations.
func (j *Judge) recorded(operations int, v model.Verdict) bool {
	limit := j.Operations
	if limit == 0 {
		limit = DefaultOperations
	}
	return operations <= limit || v == model.Violated && operations <= porcupineOperations || v == model.VerdictUnknown && j.how.Decide
}

func (j *Judge) steps(h *model.History) int {
	if j.Steps == 0 {
		j.porcupine.Memory = porcupineMemory
		return DefaultSteps + stepsEach*len(h.Operations)
	}
	j.porcupine.Memory = 0
	return j.Steps
}

// record asks the judge of record.
func (j *Judge) record(h *model.History, log *model.Log, out *Judgement) error {
	v := model.Holds
	if !j.follows(h, out.Property) {
		v, out.Steps = j.porcupine.Check(h, log, out.Property, j.steps(h))
	}
	j.linearizable = j.linearizable || out.Property == Linearizable && v == model.Holds
	switch {
	case v == model.VerdictUnknown:
		return nil
	case out.Verdict == model.VerdictUnknown:
		out.By = ByPorcupine
		if out.Exercised == 0 {
			out.Exercised = CountBound(h, out.Property, func(op *model.Operation) bool { return answersReads(op.Request, op.Result) })
		}
		if v == model.Holds && out.Exercised == 0 {
			v = model.Vacuous
		}
		out.Verdict = v
		return nil
	case (v == model.Violated) != (out.Verdict == model.Violated):
		return &Disagreement{Property: out.Property, Witness: out.Verdict, Porcupine: v}
	}
	out.By = ByBoth
	return nil
}

// follows reports whether a property holds because porcupine has found the history
// linearizable: the order that it found fits a weaker property of the same operations, too.
// A campaign would spend a fifth of its time on searching such orders again.
func (j *Judge) follows(h *model.History, p Property) bool {
	return j.linearizable && (p == LinearizableData || p == Sequential && j.ordersPrograms(h))
}

// ordersPrograms reports whether an order that respects real time has all operations that
// Sequential claims, in the order in which each client did them. It has not if a read is
// weaker than consistent, or if a client did several things at a time.
func (j *Judge) ordersPrograms(h *model.History) bool {
	j.returned = append(j.returned[:0], make([]int64, len(h.Clients))...)
	for i := range j.returned {
		j.returned[i] = beforeAll
	}
	for i := range h.Operations {
		op := &h.Operations[i]
		if !Sequential.Claims(op) {
			continue
		}
		before := &j.returned[op.Client]
		if !Linearizable.Claims(op) || op.Call <= *before {
			return false
		}
		if op.Outcome != model.Unknown {
			*before = op.Return
		}
	}
	return true
}
