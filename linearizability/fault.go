package linearizability

// fault is what the witness found. It is small because the witness runs after
// every schedule; only a violation is explained later.
type fault struct {
	kind faultKind
	// op is the operation at fault. other is the operation that forces op to be
	// later, -1 if there is none.
	op, other int32
	// revision is the position that the operation claims for itself, bound the
	// minimum.
	revision, bound int64
	// shared: the history has it in every completion.
	shared bool
}

type faultKind uint8

const (
	nothing faultKind = iota
	// unjudged: the contents needed to judge are not known.
	unjudged
	// revisionTaken: two writes made the same revision, or a write made a revision
	// from before the history.
	revisionTaken
	// revisionMissing: no operation made a revision below this one.
	revisionMissing
	// contradicted: after this write the writes of the log cannot have happened
	// as they did.
	contradicted
	// early: a write that was called after the answer made its revision, or an earlier one.
	early
	// tooOld: the position is before the bound.
	tooOld
	// wrongAnswer: the store at the position answers otherwise.
	wrongAnswer
	// nowhere: the store answers otherwise at every position from the bound on.
	nowhere
	// torn: two pages of one list are of different revisions.
	torn
)
