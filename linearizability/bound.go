package linearizability

import (
	"math"

	"github.com/watchbed/watchbed/model"
)

// boundByTime counts the reads that a property binds to a write before them, where no
// revision says what they saw.
func boundByTime(h *model.History, p Property) int {
	return CountBound(h, p, func(op *model.Operation) bool { return answersReads(op.Request, op.Result) })
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
