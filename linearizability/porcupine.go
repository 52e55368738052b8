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
