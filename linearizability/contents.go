package linearizability

import "github.com/watchbed/watchbed/model"

// contents are what a sweep holds answers against: those of the store after the writes that are
// known (replayed), or what they have in common in all completions of the history (common).
type contents interface {
	// broken is what is wrong with the writes alone.
	broken() fault
	// role is how an operation finds its place.
	role(i int32, r role) role
	// known reports whether answers of a revision can be judged.
	known(rev int64) bool
	// right reports whether an answer is that of the store at its position.
	right(i int32) bool
	// first is the first revision from the bound on at which the answer of a spanning operation is
	// right.
	first(i int32, bound int64) (rev int64, ok bool)
	// after is the same for a read of a session. placed is false if its answer is right at no
	// revision.
	after(i int32, bound int64) (rev int64, ok, placed bool)
}

type replayed struct{ w *Witness }

func (c replayed) broken() fault { return c.w.broken }

func (c replayed) role(_ int32, r role) role { return r }

func (c replayed) known(rev int64) bool { return c.w.broken.kind == nothing || rev <= c.w.last }

func (c replayed) right(i int32) bool { return !c.w.bad[i] }

func (c replayed) first(i int32, bound int64) (int64, bool) { return c.w.first(i, bound) }

func (c replayed) after(i int32, bound int64) (rev int64, ok, placed bool) {
	if c.w.broken.kind != nothing {
		return 0, false, false
	}
	if rev, ok = c.w.first(i, bound); ok {
		return rev, true, true
	}
	_, placed = c.w.first(i, c.w.history.Initial.Revision)
	return 0, false, placed
}

// isRevocation reports whether it is only by the contents that a LeaseRevoke made a revision.
func (w *Witness) isRevocation(i int32) bool {
	return w.log == nil && w.history.Operations[i].Request.Kind == model.LeaseRevoke && w.history.Operations[i].Outcome == model.Done
}
