package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/check"
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

// watched are the streams that violate something, as rows in the manner of clientsOf. A bar lies where its
// revision does, so that one goes back if the stream does.
func watched(h *model.History, r *check.Result) (streams []clientRows) {
	var all []*check.WatchViolation
	for i := range r.Judgements {
		if v := r.Judgements[i].Watch; v != nil {
			all = append(all, v)
		}
	}
	for len(all) > 0 {
		var of, others []*check.WatchViolation
		for _, v := range all {
			if v.Client == all[0].Client && v.Stream == all[0].Stream {
				of = append(of, v)
			} else {
				others = append(others, v)
			}
		}
		i := slices.IndexFunc(h.Watchers, func(w model.Watcher) bool { return w.Client == of[0].Client })
		if all = others; i >= 0 {
			name := fmt.Sprintf("%s, stream %d", of[0].Client, of[0].Stream+1)
			streams = append(streams, clientRows{name, streamRows(&h.Watchers[i].Streams[of[0].Stream], of)})
		}
	}
	return streams
}

// sentRow is a row with the revision that it is about.
type sentRow struct {
	operationRow
	revision int64
}

// streamRows has a row for each event and bookmark of a stream, and for what was not sent.
func streamRows(s *model.WatchStream, wrong []*check.WatchViolation) []operationRow {
	var rows []sentRow
	for i := range s.Responses {
		r := &s.Responses[i]
		add := func(event int, revision int64, what string) {
			row := sentRow{operationRow{Asked: what, Answer: fmt.Sprintf("revision %d", revision), When: fmt.Sprintf("response %d", i+1), Class: "done"}, revision}
			if slices.ContainsFunc(wrong, func(v *check.WatchViolation) bool { return v.Response == i && v.Event == event }) {
				row.Class += " wrong"
			}
			rows = append(rows, row)
		}
		for k := range r.Events {
			e := &r.Events[k]
			what := e.Type.String() + " " + e.Item.Key
			if e.Type == model.PutEvent && e.Item.Value != "" {
				what += "=" + e.Item.Value
			}
			add(k, e.Revision, what)
		}
		if r.Progress {
			add(-1, r.Revision, "bookmark")
		}
	}
	for _, v := range wrong {
		if v.Event < 0 && v.Revision > 0 {
			at := slices.IndexFunc(rows, func(r sentRow) bool { return r.revision > v.Revision })
			if at < 0 {
				at = len(rows)
			}
			missing := operationRow{Asked: "nothing of " + v.Key, Answer: fmt.Sprintf("revision %d was not sent", v.Revision), Class: "refused wrong"}
			rows = slices.Insert(rows, at, sentRow{missing, v.Revision})
		}
	}
	return drawn(rows)
}

// drawn gives the rows their bars, and leaves out those that are far from what is wrong.
func drawn(rows []sentRow) (out []operationRow) {
	const around = 10
	low, high := int64(math.MaxInt64), int64(0)
	near := make([]bool, len(rows))
	for i := range rows {
		low, high = min(low, rows[i].revision), max(high, rows[i].revision)
		for k := max(0, i-around); rows[i].wrong() && k <= min(i+around, len(rows)-1); k++ {
			near[k] = true
		}
	}
	left := 0
	for i, r := range rows {
		if !near[i] {
			left++
		}
		if left > 0 && (near[i] || i == len(rows)-1) {
			out = append(out, operationRow{Asked: fmt.Sprintf("⋮ %d more", left)})
			left = 0
		}
		if near[i] {
			r.Length = 100 / float64(high-low+1)
			r.Begin = r.Length * float64(r.revision-low)
			r.Length = max(1, r.Length)
			out = append(out, r.operationRow)
		}
	}
	return out
}
