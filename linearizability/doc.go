// Package linearizability (unstable) judges histories: what clients asked, when, and what
// they were answered.
//
// Judge is the way in: it asks the revision witness about every property, and
// porcupine wherever that is affordable and wherever a violation is to be
// reported. If the two differ, one of them is wrong, and Check fails loudly. Package
// history reads and writes histories.
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
// log, and bounds nothing behind it as it never returned.
//
// # What is not known
//
// Without ground truth a history may leave open whether a write of unknown outcome took effect,
// which revision a write made that was answered without one, whether a lease expired and, if the
// history is partial, what other clients wrote. A completion decides all of that. The history holds
// if one completion does, which package check/recorded looks for, and is violated if all are. The
// witness makes its sweep with what is possible in any of them (common; package possible): each
// answer gets the first position at which it is possible. As the positions in a completion are among
// these, an answer that finds none finds none in any completion.
//
// Where neither is so the verdict of the witness is unknown, and porcupine is asked.
//
// A lease takes its keys away when it is revoked or expires, all at one revision. The answer to
// a LeaseRevoke does not say whether there were any: the contents before it do. Which leases there
// are is not judged: that changes without a revision, so that answers cannot be held against it.
// items.WithExpiries adds what expiries a recorded history may have had.
//
// The replay costs O(n log n) in the number of writes and answered items. A
// search by data costs a look at every key that ever was in the range for each
// change that the answer does not fit.
package linearizability
