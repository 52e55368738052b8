package linearizability

import (
	"fmt"
	"math"
	"strings"

	"github.com/watchbed/watchbed/linearizability/items"
	"github.com/watchbed/watchbed/model"
)

// Reason says in one line why a judgement of the last Check is unknown or vacuous: which
// operation is to blame, what was missing or which budget ran out, and what to do. It is
// empty for other verdicts.
func (j *Judge) Reason(out *Judgement) string {
	switch out.Verdict {
	case model.Vacuous:
		if len(j.witness.history.Operations) == 0 {
			return "the history has no operations"
		}
		return idle[out.Property]
	case model.VerdictUnknown:
		return j.unknown(out)
	}
	return ""
}

// idle says of each property what did not happen.
var idle = map[Property]string{
	Linearizable:     "no consistent read, and no transaction that compares, was called after a write had returned: nothing bound any answer",
	LinearizableData: "no consistent read, and no transaction that compares, was called after a write had returned: nothing bound any answer",
	Sequential:       "no client read or compared after a write that it had made or seen: nothing bound any answer",
	Monotonic:        "no client read twice",
	ReadYourWrites:   "no client read after a write of its own that was answered",
	NotOlderThan:     `no read asked for "not-older-than" a revision`,
	Exact:            `no read asked for "exact" a revision`,
	Pages:            "no list went on where a page before it had ended",
}

func (j *Judge) unknown(out *Judgement) string {
	if j.beyond != "" {
		return j.beyond
	}
	w := &j.witness
	if w.history.Partial && !w.blind && !out.spent {
		return "no recorded write explains " + w.name(int(out.stuck.op)) + ", and one that is not recorded may: record all writers, or the revisions of answers"
	}
	silent, lost, expired := -1, -1, -1
	others := 0
	for i := range w.history.Operations {
		op := &w.history.Operations[i]
		switch {
		case w.roles[i] == writing && w.at[i] == 0:
			if silent < 0 {
				silent = i
			} else {
				others++
			}
		case op.Outcome == model.Unknown && op.Request.IsWrite() && op.Commit == 0:
			switch {
			case items.IsExpiry(w.history, op):
				expired = i
			case lost < 0:
				lost = i
			}
		}
	}
	var s strings.Builder
	do := `record the revision of every write, or "commit" where it becomes known later`
	switch {
	case silent >= 0:
		fmt.Fprintf(&s, "%s changed the store, and its answer has no revision", w.name(silent))
		switch {
		case others == 1:
			s.WriteString(" (nor has 1 other answer)")
		case others > 1:
			fmt.Fprintf(&s, " (nor have %d other answers)", others)
		}
	case lost >= 0:
		fmt.Fprintf(&s, "what became of %s is not known, and answers depend on it", w.name(lost))
	case expired >= 0:
		fmt.Fprintf(&s, "whether lease %d has expired is not known, and answers depend on it", w.history.Operations[expired].Request.Lease)
		do = "record a watch of its keys, or the revisions of lists and of the items in answers"
	default:
		s.WriteString("an answer without revision fits too many revisions to look at each")
		do = "record the revisions of lists, and of the items in answers"
	}
	switch {
	case !out.Property.ordered():
		fmt.Fprintf(&s, "; %s is judged by revisions alone", out.Property)
	case out.Steps > 0:
		fmt.Fprintf(&s, "; porcupine gave up after %d steps", out.Steps)
		do += fmt.Sprintf(", or give porcupine ten times as many (--budget %d), which takes up to %s", 10*out.Steps, j.porcupine.memory(10*out.Steps, out.Property))
	case w.history.Partial:
		s.WriteString("; porcupine does not judge histories of which writers are not recorded")
	default:
		fmt.Fprintf(&s, "; with %d operations the history is too large for porcupine", len(w.history.Operations))
	}
	return s.String() + ": " + do
}

// boundByTime counts the reads that a property binds to a write before them, where no
// revision says what they saw.
func boundByTime(h *model.History, p Property) int {
	return countBound(h, p, func(op *model.Operation) bool { return answersReads(op.Request, op.Result) })
}

// boundComparisons counts the transactions that a property binds to a write before them, as what
// their comparisons found depends on it. A lock or an election may have no other reads.
func boundComparisons(h *model.History, p Property) int {
	return countBound(h, p, func(op *model.Operation) bool { return compares(op.Request) })
}

// compares reports whether a transaction has comparisons.
func compares(r *model.Request) bool { return len(r.Compare) > 0 || has(r, compares) }

// countBound counts operations, of those that a property binds to a write before them: of Sequential,
// those of a client that had written or seen a write; of the others, consistent ones that
// were called after a write had returned.
func countBound(h *model.History, p Property, counts func(*model.Operation) bool) (n int) {
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

// beyond says what is in a history that no judge here can judge, in a clause with what to
// do; empty if nothing is. A verdict that leaves it out could be wrong either way.
func beyond(h *model.History) string {
	for i := range h.Operations {
		switch r := h.Operations[i].Request; {
		case h.Partial && r.Kind == model.LeaseRevoke:
			return "a lease was revoked, and writes that are not recorded may have put keys on it: record all writers"
		case h.Partial && keeps(r):
			return "a put keeps the value or the lease of its key, which a write that is not recorded may have made: record all writers"
		case h.Partial && h.Operations[i].Outcome == model.Done && asksBehind(r, h.Operations[i].Result, new(bool)):
			return "a transaction asks for a previous value behind another change of its own, and what was before that may not be recorded: record all writers"
		}
	}
	return ""
}

// asksBehind reports whether an answered request asks for a previous value behind a change.
func asksBehind(r *model.Request, res *model.Result, changed *bool) bool {
	if r.Kind == model.Put || r.Kind == model.Delete {
		behind := *changed && r.PrevKV
		*changed = true
		return behind
	}
	branch := r.Branch(res.Succeeded)
	for i := range res.Results {
		if asksBehind(&branch[i], &res.Results[i], changed) {
			return true
		}
	}
	return false
}

// keeps reports whether a request keeps something of the item before it.
func keeps(r *model.Request) bool { return r.IgnoreValue || r.IgnoreLease || has(r, keeps) }

// has reports whether something is true of a request in a transaction.
func has(r *model.Request, is func(*model.Request) bool) bool {
	for _, branch := range [...][]model.Request{r.Success, r.Failure} {
		for i := range branch {
			if is(&branch[i]) {
				return true
			}
		}
	}
	return false
}
