package linearizability

import (
	"math"

	"github.com/watchbed/watchbed/model"
)

// Property is a claim about a history. The names are those of reports and
// recordings.
type Property string

// The properties that a Judge knows. Claims says which operations each is
// about.
const (
	// Linearizable: writes and consistent reads have one total order that
	// respects real time, in which a sequential store gives every answer. A
	// LIST is observed with its items and its resourceVersion.
	Linearizable Property = "linearizable"
	// LinearizableData is the same without the LIST's own resourceVersion, so
	// that a violation means wrong data: a completed write is missing, or
	// something that was gone is seen.
	LinearizableData Property = "linearizable-data"
	// Sequential: all operations have one total order that respects each
	// client's program order.
	Sequential Property = "sequential"
	// Monotonic: no client reads an older store than it read before.
	Monotonic Property = "monotonic"
	// ReadYourWrites: no client reads a store without its own completed writes.
	ReadYourWrites Property = "read-your-writes"
	// NotOlderThan: a read with a minimum revision answers at it or later.
	NotOlderThan Property = "not-older-than"
	// Exact: a read at a revision answers the store at that revision, or
	// refuses.
	Exact Property = "exact"
	// Pages: the pages of one list are together the store at one revision.
	Pages Property = "pages"
)

// Properties are all that a Judge knows, the strongest first.
func Properties() []Property {
	return []Property{
		Linearizable, LinearizableData, Sequential,
		Monotonic, ReadYourWrites, NotOlderThan, Exact, Pages,
	}
}

// Claims reports whether the property is about the operation at all.
//
// No property is about failed operations, which had no effect, or about reads of
// unknown outcome, which have no answer. A compaction removes history and no
// contents: what may be read after it is another property. Nor does a lease that is granted or
// kept alive change contents. An Exact read asks for
// the past, so it has no place in the order of the present. A read that is weaker
// than consistent asks for less than linearizability, but sequential consistency
// still holds for it.
func (p Property) Claims(op *model.Operation) bool {
	write := op.Request.IsWrite()
	switch {
	case op.Outcome == model.Failed || !isAboutContents(op.Request):
		return false
	case op.Outcome == model.Unknown && (!write || op.Commit < 0):
		return false
	}
	switch p {
	case Linearizable, LinearizableData:
		return write || op.Request.Freshness == model.Consistent
	case Sequential:
		return write || op.Request.Freshness != model.Exact
	case Monotonic:
		return !write && op.Request.Freshness != model.Exact
	case ReadYourWrites:
		return op.Outcome == model.Done && (write || op.Request.Freshness != model.Exact)
	case NotOlderThan:
		return !write && op.Request.Freshness == model.NotOlderThan
	case Exact:
		return !write && op.Request.Freshness == model.Exact
	case Pages:
		return op.Request.Kind == model.List
	}
	return false
}

// isAboutContents reports whether a request reads or may change contents.
func isAboutContents(r *model.Request) bool {
	return r.IsWrite() || r.Kind == model.Get || r.Kind == model.List
}

// IsOrder reports whether the property is a total order of operations, which
// porcupine can judge too.
func (p Property) IsOrder() bool {
	return p == Linearizable || p == LinearizableData || p == Sequential
}

// CountBound counts the operations that a property binds to a write before them. For Sequential these are the
// operations of a client that had written or seen a write; for the other properties, consistent reads called after
// a write had returned.
func CountBound(h *model.History, p Property, counts func(*model.Operation) bool) (n int) {
	first := int64(math.MaxInt64)
	for i := range h.Operations {
		if op := &h.Operations[i]; isAnsweredWrite(op) {
			first = min(first, op.Return)
		}
	}
	before := map[string]string{}
	for _, it := range h.Initial.Items {
		before[it.Key] = it.Value
	}
	knows := make([]bool, len(h.Clients))
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Outcome != model.Done || !p.Claims(op) {
			continue
		}
		bound := p == Sequential && knows[op.Client] || p != Sequential && op.Call > first
		if bound && counts(op) {
			n++
		}
		if op.Request.IsWrite() {
			knows[op.Client] = knows[op.Client] || isAnsweredWrite(op)
			continue
		}
		for _, it := range op.Result.Items {
			value, was := before[it.Key]
			knows[op.Client] = knows[op.Client] || !was || value != it.Value
		}
	}
	return n
}

// answersReads reports whether a request is a read, or a transaction that took a branch with
// one.
func answersReads(r *model.Request, res *model.Result) bool {
	if r.Kind != model.Txn {
		return r.Kind == model.Get || r.Kind == model.List
	}
	branch := r.Branch(res.Succeeded)
	for i := range branch {
		if i < len(res.Results) && answersReads(&branch[i], &res.Results[i]) {
			return true
		}
	}
	return false
}

func isAnsweredWrite(op *model.Operation) bool {
	return op.Outcome == model.Done && op.Request.IsWrite() && op.Request.Changed(op.Result)
}
