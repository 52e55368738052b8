package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/watchbed/watchbed/diagnosis/story"
	"github.com/watchbed/watchbed/model"
)

// clientRows are the operations of one client.
type clientRows struct {
	Client     string
	Operations []operationRow
}

// operationRow is an operation: what was asked and answered, and when.
type operationRow struct {
	Asked, Answer string
	// Class marks refused ones, those without an answer, and the wrong one.
	Class string
	// Begin and Length are where the operation lies among all of them, in percent.
	Begin, Length float64
	// When is where it began and ended in the run; empty if that is not known.
	When string
}

// wrong reports whether the row is marked as what is wrong.
func (row *operationRow) wrong() bool { return strings.HasSuffix(row.Class, " wrong") }

var outcomeClass = map[model.Outcome]string{model.Done: "done", model.Failed: "refused", model.Unknown: "unknown"}

// clientsOf lists the operations of a history by client, in the order of their calls.
// Run is nil if the history is all there is.
func clientsOf(h *model.History, run *story.Run) []clientRows {
	rows := make([]clientRows, len(h.Clients))
	end := int64(1)
	for i := range h.Operations {
		op := &h.Operations[i]
		end = max(end, op.Call+1)
		if op.Return != math.MaxInt64 {
			end = max(end, op.Return)
		}
	}
	for i := range h.Operations {
		op := &h.Operations[i]
		row := operationRow{Asked: asked(op.Request), Answer: answered(op), Class: outcomeClass[op.Outcome]}
		last := min(op.Return, end)
		row.Begin = 100 * float64(op.Call) / float64(end)
		row.Length = max(1, 100*float64(last-op.Call)/float64(end))
		if run != nil {
			row.place(run, i)
		}
		c := &rows[op.Client]
		c.Client, c.Operations = h.Clients[op.Client], append(c.Operations, row)
	}
	var asking []clientRows
	for _, c := range rows {
		if len(c.Operations) > 0 {
			asking = append(asking, c)
		}
	}
	return asking
}

// place says where in the run the operation is. What a client says of a refusal has its
// reason, which a history does not.
func (row *operationRow) place(run *story.Run, op int) {
	call, back := run.Operation(op)
	if call < 0 {
		return
	}
	row.When = run.Place(call)
	if back < 0 {
		return
	}
	row.When += " to " + run.Place(back)
	if back == run.Wrong {
		row.Class += " wrong"
	}
	if run.History.Operations[op].Outcome != model.Failed {
		return
	}
	for _, n := range run.Trace.Steps[back].Notes {
		if n.Node == run.Trace.Steps[back].Node {
			row.Answer = n.Text
		}
	}
}

// asked says what an operation asks.
func asked(r *model.Request) string {
	if r.Kind == model.Txn {
		return askedTxn(r)
	}
	text := r.Kind.String() + " " + r.Key
	switch {
	case r.Kind == model.Put:
		text += "=" + r.Value
	case r.Freshness == model.Any:
		text += ` with resourceVersion="0"`
	case r.Freshness == model.NotOlderThan:
		text += fmt.Sprintf(" not older than %d", r.Revision)
	case r.Freshness == model.Exact:
		text += fmt.Sprintf(" at revision %d", r.Revision)
	}
	if r.Limit > 0 {
		text += fmt.Sprintf(", at most %d", r.Limit)
	}
	return text
}

// askedTxn says what a transaction compares, and what it does then and otherwise.
func askedTxn(r *model.Request) string {
	var compares []string
	for i := range r.Compare {
		c := &r.Compare[i]
		operand := fmt.Sprint(c.Operand)
		if c.Target == model.CompareValue {
			operand = c.Value
		}
		compares = append(compares, strings.TrimSpace(targets[c.Target]+" "+c.Key)+relations[c.Op]+operand)
	}
	text := "txn"
	if len(compares) > 0 {
		text += " if " + strings.Join(compares, " and ")
	}
	text += ": " + askedSteps(r.Success)
	if len(r.Failure) > 0 {
		text += "; otherwise " + askedSteps(r.Failure)
	}
	return text
}

// The fields that a transaction compares. Of a key alone the value is meant.
var (
	targets   = [...]string{model.CompareMod: "mod of", model.CompareVersion: "version of", model.CompareCreate: "create of", model.CompareLease: "lease of", model.CompareValue: ""}
	relations = [...]string{model.Equal: "=", model.NotEqual: "!=", model.Greater: ">", model.Less: "<"}
)

// askedSteps are those of one branch of a transaction.
func askedSteps(branch []model.Request) string {
	var s []string
	for i := range branch {
		if i == maxEntries {
			s = append(s, fmt.Sprintf("and %d more", len(branch)-i))
			break
		}
		s = append(s, asked(&branch[i]))
	}
	if len(s) == 0 {
		return "nothing"
	}
	return strings.Join(s, ", ")
}

// answered says what came of it.
func answered(op *model.Operation) string {
	switch {
	case op.Outcome == model.Failed:
		return "refused"
	case op.Outcome == model.Unknown || op.Result == nil:
		return "no answer"
	}
	var s []string
	if rev := op.Result.Revision; rev != 0 && rev != math.MaxInt64 {
		s = append(s, fmt.Sprintf("revision %d", rev))
	}
	if op.Request.Kind == model.Txn && len(op.Request.Compare) > 0 {
		s = append(s, map[bool]string{true: "the comparison was true", false: "the comparison was false"}[op.Result.Succeeded])
	}
	if !op.Request.IsWrite() {
		for i, it := range op.Result.Items {
			if i == maxEntries {
				s = append(s, fmt.Sprintf("and %d more", len(op.Result.Items)-i))
				break
			}
			shown := it.Key + "=" + it.Value
			if it.ModRevision != 0 {
				shown += fmt.Sprintf(" of %d", it.ModRevision)
			}
			s = append(s, shown)
		}
		if len(op.Result.Items) == 0 {
			s = append(s, "nothing")
		}
	}
	return strings.Join(s, ", ")
}
