package recorded

import (
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/linearizability/items"
	"github.com/watchbed/watchbed/model"
)

// Reason says in one line why a judgement of the last Check is unknown or vacuous: which
// operation is to blame, what was missing or which budget ran out, and what to do. It is
// empty for other verdicts.
func (j *Judge) Reason(out *linearizability.Judgement) string {
	switch out.Verdict {
	case model.Vacuous:
		if len(j.History().Operations) == 0 {
			return "the history has no operations"
		}
		return idle[out.Property]
	case model.VerdictUnknown:
		return j.unknown(out)
	}
	return ""
}

// idle says of each property what did not happen.
var idle = map[linearizability.Property]string{
	linearizability.Linearizable:     "no consistent read, and no transaction that compares, was called after a write had returned: nothing bound any answer",
	linearizability.LinearizableData: "no consistent read, and no transaction that compares, was called after a write had returned: nothing bound any answer",
	linearizability.Sequential:       "no client read or compared after a write that it had made or seen: nothing bound any answer",
	linearizability.Monotonic:        "no client read twice",
	linearizability.ReadYourWrites:   "no client read after a write of its own that was answered",
	linearizability.NotOlderThan:     `no read asked for "not-older-than" a revision`,
	linearizability.Exact:            `no read asked for "exact" a revision`,
	linearizability.Pages:            "no list went on where a page before it had ended",
}

func (j *Judge) unknown(out *linearizability.Judgement) string {
	h := j.History()
	if h == nil {
		return j.beyond
	}
	silent, lost, expired := -1, -1, -1
	others := 0
	for i := range h.Operations {
		op := &h.Operations[i]
		switch {
		case !op.Request.IsWrite():
		case op.Outcome == model.Done && op.Result.Revision == 0 && (op.Request.Changed(op.Result) || op.Request.Kind == model.LeaseRevoke):
			if silent < 0 {
				silent = i
			} else {
				others++
			}
		case op.Outcome != model.Unknown || op.Commit != 0:
		case items.IsExpiry(h, op):
			expired = i
		case lost < 0:
			lost = i
		}
	}
	if h.Partial && silent < 0 && !out.Spent {
		return "no recorded write explains " + j.Name(out.Stuck) + ", and one that is not recorded may: record all writers, or the revisions of answers"
	}
	var s strings.Builder
	do := `record the revision of every write, or "commit" where it becomes known later`
	switch {
	case silent >= 0:
		fmt.Fprintf(&s, "%s changed the store, and its answer has no revision", j.Name(silent))
		switch {
		case others == 1:
			s.WriteString(" (nor has 1 other answer)")
		case others > 1:
			fmt.Fprintf(&s, " (nor have %d other answers)", others)
		}
	case lost >= 0:
		fmt.Fprintf(&s, "what became of %s is not known, and answers depend on it", j.Name(lost))
	case expired >= 0:
		fmt.Fprintf(&s, "whether lease %d has expired is not known, and answers depend on it", h.Operations[expired].Request.Lease)
		do = "record a watch of its keys, or the revisions of lists and of the items in answers"
	default:
		s.WriteString("an answer without revision fits too many revisions to look at each")
		do = "record the revisions of lists, and of the items in answers"
	}
	switch {
	case !out.Property.IsOrder():
		fmt.Fprintf(&s, "; %s is judged by revisions alone", out.Property)
	case out.Steps > 0:
		fmt.Fprintf(&s, "; porcupine gave up after %d steps", out.Steps)
		do += fmt.Sprintf(", or give porcupine ten times as many (--budget %d), which takes up to %s", 10*out.Steps, j.Memory(10*out.Steps, out.Property))
	case h.Partial:
		s.WriteString("; porcupine does not judge histories of which writers are not recorded")
	default:
		fmt.Fprintf(&s, "; with %d operations the history is too large for porcupine", len(h.Operations))
	}
	return s.String() + ": " + do
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

// keeps reports whether a put of a request keeps something of the item before it.
func keeps(r *model.Request) bool {
	return items.Any(r, func(r *model.Request) bool { return r.IgnoreValue || r.IgnoreLease })
}
