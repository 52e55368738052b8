package explore

import "github.com/watchbed/watchbed/sim"

// Concern says what an explanation is about, so that a story need not read its
// text. Each field may be empty: an explanation names what it knows.
type Concern struct {
	// Node is the name of the node that is wrong: a cache, an informer.
	Node string
	// Client is the name of the client that was answered wrongly, or too late.
	Client string
	// Call is the tick of the history at which that client asked; 0 is none.
	Call int64
	// Began is when the node began what did not end well, in a timed run; 0 is not
	// known.
	Began sim.Time
	// Revision is that of the change which is not shown, or is shown wrongly; 0 is
	// none.
	Revision int64
	// Compaction is the revision of the compaction that makes the answer wrong; 0 is
	// none.
	Compaction int64
	// Key is that of the object which is not shown, or is shown wrongly.
	Key string
}

// Concerned is implemented by an explanation (Finding.Why) that can say what it
// is about.
type Concerned interface {
	Concerns() Concern
}
