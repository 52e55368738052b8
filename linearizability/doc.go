// Package linearizability judges histories: what clients asked, when, and what
// they were answered.
//
// Judge is the way in: it asks the revision witness about every property, and
// porcupine wherever that is affordable and wherever a violation is to be
// reported. If the two differ, one of them is wrong, and Check fails loudly.
//
// # The format of a history
//
// A history is JSON Lines, in UTF-8. The first line may be a header with the
// store that the history starts from; without it that is a fresh etcd, empty at
// revision 1:
//
//	{"format":"watchbed-history","version":1,"initial":{"revision":4,"items":[
//	  {"key":"a","value":"1","create":3,"mod":4,"version":2}]}}
//
// (on one line). Every other line is one operation:
//
//	{"client":"w1","op":"put","call":3,"return":9,"request":{"key":"a","value":"2"},"response":{"revision":5}}
//	{"client":"r1","op":"list","call":4,"return":6,"server":"cache-0","request":{"key":"a","end":"b"},
//	  "response":{"revision":4,"items":[{"key":"a","value":"1","create":3,"mod":4,"version":2}]}}
//	{"client":"r2","op":"list","call":11,"return":12,"request":{"key":"a","end":"b"},"error":"too-many-requests"}
//	{"client":"w1","op":"delete","call":10,"request":{"key":"a"},"unknown":true}
//
// (again each on one line). The fields of an operation:
//
//   - client: the client that sent the request. A client does one thing at a time.
//   - op: put, delete, txn, get, list or compact.
//   - call, return: readings of one counter that grows with every event of the
//     whole run. Clocks will not do: two events with the same reading count as
//     concurrent, which hides violations.
//   - server: the server that answered. It is for readers only and may be left
//     out.
//   - request: put {"key","value"}, delete {"key","end"}, get {"key"},
//     list {"key","end","limit","countOnly","keysOnly"}, compact {"revision"},
//     txn {"compare":[{"key","target":"mod|version","result":"=|!=|>|<","value"}],
//     "success":[...],"failure":[...]} with requests that carry their own "op".
//     Ranges are etcd's: without end the single key, end "\u0000" is "from key on".
//     Reads may have "freshness": "any" (Kubernetes: resourceVersion 0),
//     "not-older-than" or "exact", the latter two with "revision"; without it
//     they are consistent.
//   - exactly one of response, error and unknown:
//     response {"revision","items","count","more","deleted","succeeded","responses"},
//     where revision is the one that a write made or a list observed; it may be
//     left out where the server did not send it, and count where it is the number
//     of items. Of an item, create and version may be left out if they are not
//     known; mod may not.
//     error is compacted, future-revision, timeout, too-many-requests,
//     unavailable or invalid: the operation definitely had no effect.
//     unknown is true for an operation that may have happened, may happen
//     later, or never; it has no return.
//   - commit: of a write, the revision at which it took effect according to
//     ground truth; -1 if it never did, 0 or left out if that is unknown.
//
// All writers of the store must be recorded: a revision that no operation made
// is a violation.
//
// Unknown fields are refused, later versions too.
//
// # Why the witness is exact
//
// Linearizability is hard to decide because the order of the operations has to be
// guessed. In etcd there is little left to guess: every write that changes
// something makes a revision, and the answer to a LIST has the revision that it
// observed.
//
// Give every operation a position: revision r itself for the write that made it,
// behind r and before r+1 for a read or a write without effect that was answered
// from the store at r. In every order that explains the history, the effective
// writes come by revision, because each answer names the revision and the store
// counts. So the store at r is the same in all such orders: it is the initial
// store with the writes up to r applied. Which positions an operation may have
// then does not depend on the others. It is one position for an effective write
// (its revision) and for an answer that has its revision; for a Get, and for any
// answer without revision, all positions at which the store answers so: none, one
// interval, or several.
//
// Two things follow. An order that respects real time gives positions that do:
// what had returned before another was called is not behind it. And positions
// that do so give an order: sort by position, the write first, the others of one
// position by their calls. That order respects real time (a write is never at
// the position of something that returned before its call, as positions are
// held to be strictly before it), and in it each answer is the store's, because
// only the writes up to its position have happened. So it is enough to look for
// positions.
//
// They are found by one sweep through the calls. Each operation gets the first
// of its positions that is not before those of the operations that had already
// returned. The conditions are lower bounds only, so the first position is never
// worse for later operations. If an operation has no position left, there is no
// order.
//
// Operations whose intervals touch count as concurrent, as in porcupine. A read
// at revision r that returned before the write of r was called is no special
// case: the write's position has to be behind the read's, and is not.
//
// For linearizable-data the revision of a read is not looked at, and all reads
// are placed by their data; items carry the revision at which they were
// written, so that the search begins at the newest of them and ends where one of
// them is overwritten. For sequential, "had already returned" becomes "comes
// earlier in its client's program": nothing else orders operations of different
// clients at one position, so that the clients can be swept one by one.
//
// A write of unknown outcome takes its position from Operation.Commit or from the
// log, bounds nothing behind it as it never returned, and is left out if it never
// took effect. Without ground truth the witness leaves such writes out; if the
// history holds without them, it holds, because they may never have happened. If
// not, it is violated only if revisions contradict each other for every possible
// fate of these writes. Otherwise it is undecided. It is also undecided if a
// write had an effect and its answer has no revision. Porcupine decides both.
//
// The replay costs O(n log n) in the number of writes and answered items. A
// search by data costs a look at every key that ever was in the range for each
// change that the answer does not fit.
package linearizability
