package linearizability

// fault is what the witness found, in as few words as it takes to find it: it
// runs after every schedule, and only a violation is worth explaining.
type fault struct {
	kind faultKind
	// op is the operation at fault, other the one that forces it to be later,
	// -1 if that is no operation.
	op, other int32
	// revision is the position that the operation claims for itself, bound the
	// least that it may have.
	revision, bound int64
}

type faultKind uint8

const (
	nothing faultKind = iota
	// unjudged: the contents needed to judge are not known.
	unjudged
	// revisionTaken: two writes made the same revision, or one that was there
	// before the history.
	revisionTaken
	// revisionMissing: nobody made a revision below this one.
	revisionMissing
	// contradicted: after this write the writes of the log cannot have happened
	// as they did.
	contradicted
	// tooOld: the position is before the bound.
	tooOld
	// wrongAnswer: the store at the position answers otherwise.
	wrongAnswer
	// nowhere: the store answers otherwise at every position from the bound on.
	nowhere
	// torn: two pages of one list are of different revisions.
	torn
)
