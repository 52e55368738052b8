package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/watchbed/watchbed/check"
	"github.com/watchbed/watchbed/model"
)

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
