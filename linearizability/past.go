package linearizability

import "github.com/watchbed/watchbed/model"

// Kept is something of a history that later verdicts depend on: what an operation of a
// client must not be answered from before.
type Kept struct {
	// Client is an index into History.Clients, -1 for all of them.
	Client int
	// Operation is the number of one of the client's operations, counted from 0; -1 for all
	// that are still to be called.
	Operation int
	Revision  int64
}

// Past appends what the verdict on a property still depends on, of the loaded history, if
// that is extended by what comes after it. The history has to hold so far: positions are
// those of the sweep, each the first feasible one. Two histories of which Past is equal,
// and the store and the open operations too, hold together or are violated together
// however they go on.
func (w *Witness) Past(to []Kept, p Property) []Kept {
	switch p {
	case Linearizable, LinearizableData:
		return w.pastInRealTime(w.pastWrites(to), p == LinearizableData)
	case Sequential:
		return w.pastOfSessions(w.pastWrites(to), Sequential.Claims)
	case Monotonic:
		return w.pastOfSessions(to, isSessionRead)
	case ReadYourWrites:
		return w.pastOfSessions(to, func(op *model.Operation) bool { return op.Request.IsWrite() })
	case Pages:
		return w.pastPages(to)
	}
	// Each read is judged alone.
	return to
}

// pastWrites is which revisions writes were answered with: no later one may have them.
func (w *Witness) pastWrites(to []Kept) []Kept {
	w.eachOfClients(func(i int32, n int) {
		if op := &w.history.Operations[i]; w.roles[i] == writing && op.Outcome == model.Done {
			to = append(to, Kept{op.Client, n, w.at[i]})
		}
	})
	return to
}

// eachOfClients visits operations in the order of their calls, with the number of each
// among those of its client.
func (w *Witness) eachOfClients(visit func(i int32, n int)) {
	w.resetClients()
	for _, i := range w.order {
		view := &w.clients[w.history.Operations[i].Client]
		visit(i, view.reads)
		view.reads++
	}
}

// pastInRealTime is, for each operation that is open and for all later ones, the newest
// position of what had returned when it was called.
func (w *Witness) pastInRealTime(to []Kept, data bool) []Kept {
	w.returns.reset(w.history)
	w.eachOfClients(func(i int32, n int) {
		op := &w.history.Operations[i]
		bound := w.returns.until(op.Call)
		write := op.Request.IsWrite()
		switch {
		case !write && op.Request.Freshness != model.Consistent:
		case op.Outcome == model.Unknown:
			to = append(to, Kept{op.Client, n, bound.revision})
		case w.roles[i] != ignored:
			r := w.roles[i]
			if data && !write {
				r = spanning
			}
			if rev, f := w.settle(i, r, bound, replayed{w}); f.kind == nothing {
				w.returns.at[i] = rev
			}
		}
	})
	newest := w.history.Initial.Revision
	for _, rev := range w.returns.at {
		newest = max(newest, rev)
	}
	return append(to, Kept{-1, -1, newest})
}

// pastOfSessions is, for each client, the newest position of its operations that count.
func (w *Witness) pastOfSessions(to []Kept, counts func(*model.Operation) bool) []Kept {
	w.resetClients()
	for _, i := range w.order {
		op := &w.history.Operations[i]
		if w.roles[i] == ignored || op.Outcome != model.Done || !counts(op) {
			continue
		}
		seen := &w.clients[op.Client].seen.revision
		if w.roles[i] == writing {
			*seen = max(*seen, w.at[i])
		} else if rev, ok, _ := w.after(i, *seen, replayed{w}); ok {
			*seen = max(*seen, rev)
		}
	}
	for c := range w.clients {
		if seen := w.clients[c].seen.revision; seen > w.history.Initial.Revision {
			to = append(to, Kept{c, -1, seen})
		}
	}
	return to
}

// pastPages is, for each client whose last list says that there is more, the revision of
// that page.
func (w *Witness) pastPages(to []Kept) []Kept {
	w.resetClients()
	for c := range w.clients {
		w.clients[c].seen.revision = 0
	}
	for _, i := range w.order {
		if op := &w.history.Operations[i]; w.roles[i] == observing && op.Request.Kind == model.List {
			view := &w.clients[op.Client]
			if view.seen.revision = 0; op.Result.More {
				view.seen.revision = w.at[i]
			}
		}
	}
	for c := range w.clients {
		if page := w.clients[c].seen.revision; page > 0 {
			to = append(to, Kept{c, -1, page})
		}
	}
	return to
}
