package linearizability

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/watchbed/watchbed/linearizability/items"
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

// Porcupine judges with porcupine: a search through the orders in which the
// operations can have happened, by a program that was not written for etcd. Its
// verdict is reported, for histories that it can finish.
//
// The zero value is ready to use and may be used again, by one goroutine at a
// time.
type Porcupine struct {
	// Memory bounds, in bytes, what may be remembered of the states that it has been in: a
	// set of operations and a store for each. 0 is no bound.
	Memory int

	spec       specification
	bases      items.Bases
	calls      []call
	operations []porcupine.Operation
	turns      []int32
	order      []writeRef
	realTime   porcupine.Model
	program    porcupine.Model
	// plain: nothing in the calls depends on revisions.
	plain bool
	// least is the number of operations from which on those of one key are judged in parts; 0 stands for leastApart.
	least int
}

// A write that ground truth knows and no client recorded may have happened at
// any time.
const beforeAll, afterAll = math.MinInt64, math.MaxInt64

// Check judges Linearizable, LinearizableData or Sequential; others are
// VerdictUnknown. It is that, too, once it has tried budget steps of the
// specification, or the fewer for which there is memory. The number of steps that it took
// is equal on every machine. Keys that have nothing to do with each other are judged one
// after the other, with a budget each.
//
// If a log is given, it supplies the writes that the history does not record.
// Writes with unknown outcome take effect where the log has them.
func (p *Porcupine) Check(h *model.History, log *model.Log, prop Property, budget int) (v model.Verdict, steps int) {
	if !prop.IsOrder() {
		return model.VerdictUnknown, 0
	}
	p.prepare(h, log, prop)
	p.least = cmp.Or(p.least, leastApart)
	if p.realTime.Step == nil {
		p.realTime, p.program = p.spec.realTime(), p.spec.programOrder()
	}
	m := p.realTime
	if prop == Sequential {
		m = p.program
	}
	v = model.Holds
	for _, part := range p.parts(prop) {
		p.spec.steps, p.spec.budget, p.spec.kept, p.spec.keeps = 0, budget, 0, p.affordable(len(part.operations), prop)
		p.spec.begin(part)
		ok := porcupine.CheckOperations(m, part.operations)
		steps += p.spec.steps
		switch {
		case ok:
		case p.spec.spent():
			v = model.VerdictUnknown
		default:
			return model.Violated, steps
		}
	}
	return v, steps
}

// affordable is for how many states there is memory.
func (p *Porcupine) affordable(operations int, prop Property) int {
	if p.Memory == 0 {
		return math.MaxInt
	}
	return p.Memory / p.each(operations, prop)
}

// memory is what so many steps may take.
func (p *Porcupine) memory(steps int, prop Property) string {
	mb := steps * p.each(len(p.calls), prop) >> 20
	if mb < 10_000 {
		return fmt.Sprintf("%d MB", max(1, mb))
	}
	return fmt.Sprintf("%d GB", mb>>10)
}

// each is the size of a state: the set of operations that happened, the chunk of items that
// the last of them changed, and the places of all clients.
func (p *Porcupine) each(operations int, prop Property) int {
	each := 400 + operations/8 + 8*len(p.spec.initial.used)
	if prop == Sequential {
		each += 4 * p.spec.clients
	}
	if !p.spec.lazy {
		each += 8 * items.ChunkItems
	}
	return each
}

func (p *Porcupine) prepare(h *model.History, log *model.Log, prop Property) {
	p.spec.items.Reset()
	initial := &state{Contents: items.Contents{Arena: &p.spec.items, Persistent: true}, revision: h.Initial.Revision}
	base := p.bases.Of(h.Initial.Items)
	initial.Reset(h.Initial.Items, base)
	p.spec.initial, p.spec.clients = initial, len(h.Clients)
	p.turns = append(p.turns[:0], make([]int32, len(h.Clients))...)
	p.order = p.order[:0]
	p.calls = p.calls[:0]
	p.operations = p.operations[:0]
	for i := range h.Operations {
		op := &h.Operations[i]
		if !prop.Claims(op) || op.Outcome == model.Unknown && op.Commit == 0 && log != nil {
			continue
		}
		c := call{request: op.Request, result: op.Result, client: int32(op.Client), turn: p.turns[op.Client]}
		if op.Outcome == model.Unknown {
			// A write that never happened is as good as one after the end.
			c.result, c.made, c.writes, c.open = nil, op.Commit, true, true
		} else {
			p.turns[op.Client]++
			c.writes = op.Request.IsWrite() && op.Request.Changed(op.Result)
			if op.Request.Kind == model.LeaseRevoke {
				c.writes = log != nil && revokes(log, op.Request.Lease, op.Result.Revision)
				c.revokes = log == nil || op.Result.Revision == 0
			}
			switch {
			case c.writes:
				c.made = op.Result.Revision
			case op.Request.IsWrite() || prop != LinearizableData:
				c.observed = op.Result.Revision
			}
		}
		if c.made != 0 {
			p.order = append(p.order, writeRef{revision: c.made})
		}
		p.calls = append(p.calls, c)
		p.operations = append(p.operations, porcupine.Operation{ClientId: op.Client, Call: op.Call, Return: returned(op)})
	}
	if log != nil {
		p.fill(log, h.Initial.Revision)
	}
	for i := range p.calls {
		p.operations[i].Input = &p.calls[i]
	}
	p.plain = p.isPlain()
	switch {
	case p.plain && base != nil:
		initial.Reset(nil, base.Plain())
	case p.plain:
		initial.Reset(items.Plain(h.Initial.Items), nil)
	}
	initial.Plain = p.plain
	p.prepareLazy()
	p.spec.turns = nil
	if prop == Sequential {
		p.overlapAll()
		if p.plain {
			p.spec.turns = make([][]*call, len(h.Clients))
			for i := range p.calls {
				if c := &p.calls[i]; !c.open {
					p.spec.turns[c.client] = append(p.spec.turns[c.client], c)
				}
			}
		}
	}
}

// fill adds the writes of the log that no operation claims to have made.
func (p *Porcupine) fill(log *model.Log, initial int64) {
	sortWrites(p.order)
	at := 0
	for rev := initial + 1; rev <= log.Revision(); rev++ {
		for at < len(p.order) && p.order[at].revision < rev {
			at++
		}
		if at < len(p.order) && p.order[at].revision == rev {
			continue
		}
		if r := log.Write(rev); r != nil {
			p.calls = append(p.calls, call{request: r, made: rev, writes: true, open: true})
			p.operations = append(p.operations, porcupine.Operation{Call: beforeAll, Return: afterAll})
		}
	}
}

// overlapAll takes real time out of the operations: all calls come before all
// returns. The calls keep an order, in which porcupine tries the operations: by
// revision where it is known, so that a history which holds is done in about
// one attempt an operation.
func (p *Porcupine) overlapAll() {
	p.order = p.order[:0]
	known := p.spec.initial.revision
	for i := range p.calls {
		c := &p.calls[i]
		rank := max(c.made, c.observed)
		if rank == 0 {
			rank = known
		}
		known = rank
		rank *= 2
		if !c.writes {
			rank++
		}
		p.order = append(p.order, writeRef{revision: rank, index: int32(i)})
	}
	sortWrites(p.order)
	for at, w := range p.order {
		p.operations[w.index].Call, p.operations[w.index].Return = int64(at), int64(len(p.order)+at)
	}
}

func returned(op *model.Operation) int64 {
	if op.Outcome == model.Unknown {
		return afterAll
	}
	return op.Return
}

// revokes reports whether a revision was made by revoking a lease, according to ground truth,
// and not by an expiry behind which the lease was granted again.
func revokes(log *model.Log, lease, rev int64) bool {
	r := log.Write(rev)
	return r != nil && r.Kind == model.LeaseRevoke && r.Lease == lease && !log.Changed(lease, rev, true)
}

// MaxVisualized is the size up to which a history can be drawn: porcupine's
// pages grow with the square of it (anishathalye/porcupine#20: 1.5 GB for 3,000
// operations).
const MaxVisualized = 200

// Visualize writes porcupine's own page about a history: every client's
// operations in time, and the longest orders of them that are linearizable. prop
// is Linearizable or LinearizableData. The page of one history is not the same,
// byte for byte, every time.
func Visualize(w io.Writer, h *model.History, prop Property) error {
	var p Porcupine
	p.prepare(h, nil, prop)
	p.spec.steps, p.spec.budget, p.spec.kept, p.spec.keeps, p.spec.lazy = 0, DefaultSteps, 0, math.MaxInt, false
	p.spec.first = p.spec.initial
	end := int64(0)
	for i := range p.operations {
		end = max(end, p.operations[i].Call)
		if r := p.operations[i].Return; r != afterAll {
			end = max(end, r)
		}
	}
	for i := range p.operations {
		// The page is as wide as the last call or return: what was never answered
		// may have been asked after all answers.
		p.operations[i].Return = min(p.operations[i].Return, end+1)
	}
	m := p.spec.realTime()
	m.DescribeOperation = func(input, _ any) string { return input.(*call).String() }
	m.DescribeState = func(s any) string { return "revision " + strconv.FormatInt(s.(*state).revision, 10) }
	_, info := porcupine.CheckOperationsVerbose(m, p.operations, 0)
	return porcupine.Visualize(m, info, w)
}

// String says an operation and its answer on one line.
func (c *call) String() string {
	text := c.request.Kind.String() + " " + c.request.Key
	if c.request.Kind == model.Put {
		text += "=" + c.request.Value
	}
	if c.result == nil {
		return text + ": outcome unknown"
	}
	if c.result.Revision != 0 && c.result.Revision != math.MaxInt64 {
		text += " → rev " + strconv.FormatInt(c.result.Revision, 10)
	}
	if !c.request.IsWrite() {
		var items []string
		for _, it := range slices.Clone(c.result.Items) {
			items = append(items, it.Key+"="+it.Value)
		}
		text += " {" + strings.Join(items, " ") + "}"
	}
	return text
}
