package etcd

import (
	"strconv"
	"strings"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// What the server notes while a run is observed, beside its store and its
// streams. The algorithm says what happened; the sentences are here.

// clogStrikes: from now on nothing gets through on watch streams.
type clogStrikes struct{ fault *Clog }

// Text implements sim.Note.
func (n clogStrikes) Text(w *sim.World) string {
	to, until := "any client", "for a while"
	if n.fault.From != nil {
		var names []string
		for _, node := range n.fault.From {
			names = append(names, w.NodeName(node))
		}
		to = strings.Join(names, " and ")
	}
	if w.Mode() == sim.Timed {
		until = "until " + time.Duration(n.fault.Until).String()
	}
	return "nothing that " + w.NodeName(n.fault.Node) + " sends on watch streams gets through to " + to + ", " + until
}

// applied: the apply loop carried out an entry, and no watcher has been notified.
type applied struct {
	request sim.Payload
	// made is the revision that the entry made, 0 if it made none; then current is
	// the revision that stays.
	made, current int64
	// compacted is the revision of a compaction, 0 for any other entry.
	compacted int64
}

// Text implements sim.Note.
func (n applied) Text(*sim.World) string {
	text := "applies " + n.request.Label()
	switch {
	case n.made != 0:
		return text + ": revision " + number(n.made)
	case n.compacted != 0:
		return text + ": what came before revision " + number(n.compacted) + " may go"
	default:
		return text + ": nothing changes, the revision stays " + number(n.current)
	}
}

// About implements sim.Subject.
func (n applied) About() sim.About {
	if n.made == 0 {
		return sim.About{}
	}
	return sim.About{Revision: n.made, Key: keyOf(n.request)}
}

// rangeQueued: a Range waits until others are answered; ahead counts the one that
// the server works on.
type rangeQueued struct {
	from    sim.NodeID
	request sim.Payload
	ahead   int
}

// Text implements sim.Note.
func (n rangeQueued) Text(w *sim.World) string {
	ranges := " Ranges that came before it"
	if n.ahead == 1 {
		ranges = " Range that came before it"
	}
	return w.NodeName(n.from) + "'s " + n.request.Label() + " waits for " + number(int64(n.ahead)) + ranges
}

// chunkRead: a stream goes on with keys, which are total together with those of the chunks
// before.
type chunkRead struct {
	to    sim.NodeID
	keys  int
	total int64
	at    int64
}

// Text implements sim.Note.
func (n chunkRead) Text(w *sim.World) string {
	text := "reads the next " + number(int64(n.keys)) + " keys of the stream for " + w.NodeName(n.to)
	if int64(n.keys) == n.total {
		text = "reads the first " + number(n.total) + " keys of a stream for " + w.NodeName(n.to)
	}
	return strings.ReplaceAll(text, " 1 keys", " key") + ", at revision " + number(n.at)
}

// About implements sim.Subject.
func (n chunkRead) About() sim.About { return sim.About{Revision: n.at} }

// compactAwaits: a Compact waits until a Range has let go of the store's lock.
type compactAwaits struct{ compact, reads sim.Payload }

// Text implements sim.Note.
func (n compactAwaits) Text(*sim.World) string {
	return n.compact.Label() + " waits for " + n.reads.Label() + ", which holds the lock of the store"
}

// failed: a request that nothing is wrong with is answered with an error. Fate says
// what becomes of a write that the error leaves open.
type failed struct {
	request sim.Payload
	err     *wire.Error
	fate    string
}

// Text implements sim.Note.
func (n failed) Text(*sim.World) string {
	return "answers " + n.request.Label() + " with the error \"" + n.err.Message + "\"" + n.fate
}

// About implements sim.Subject.
func (n failed) About() sim.About { return sim.About{Key: keyOf(n.request)} }

// leaderLost: there is no leader, or there is one again.
type leaderLost struct{ again bool }

// Text implements sim.Note.
func (n leaderLost) Text(*sim.World) string {
	if n.again {
		return "has a leader again"
	}
	return "has no leader any more"
}

// keyOf is the key that a request writes, that of its first operation if it is a
// transaction.
func keyOf(request sim.Payload) string {
	switch r := request.(type) {
	case *wire.PutRequest:
		return r.Key
	case *wire.DeleteRangeRequest:
		return r.Key
	case *wire.TxnRequest:
		for _, ops := range [2][]wire.RequestOp{r.Success, r.Failure} {
			for i := range ops {
				switch op := &ops[i]; {
				case op.Put != nil:
					return op.Put.Key
				case op.DeleteRange != nil:
					return op.DeleteRange.Key
				case op.Txn != nil:
					if key := keyOf(op.Txn); key != "" {
						return key
					}
				}
			}
		}
	}
	return ""
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// skipped: a process that starts takes an entry for applied that is not. The next write
// gets its revision, next.
type skipped struct {
	request sim.Payload
	next    int64
}

// Text implements sim.Note.
func (n skipped) Text(*sim.World) string {
	return "takes " + n.request.Label() + " for applied after the restart, and does not apply it"
}

// About implements sim.Subject.
func (n skipped) About() sim.About { return sim.About{Revision: n.next} }

// SetsBack implements sim.Setback.
func (n skipped) SetsBack() bool { return true }

// repeated: a process that starts will apply an entry that is in its store already.
type repeated struct{ request sim.Payload }

// Text implements sim.Note.
func (n repeated) Text(*sim.World) string {
	return "takes " + n.request.Label() + " for not applied after the restart, although it is"
}

// About implements sim.Subject.
func (n repeated) About() sim.About { return sim.About{Key: keyOf(n.request)} }

// SetsBack implements sim.Setback.
func (n repeated) SetsBack() bool { return true }

// oldIndexTaken: reads of the present turn go by an index that was asked for before them.
type oldIndexTaken struct{ index uint64 }

// Text implements sim.Note.
func (n oldIndexTaken) Text(*sim.World) string {
	return "takes the leader's late second answer to an earlier question for the answer to the present one: these reads wait for index " +
		strconv.FormatUint(n.index, 10) + " only, which is from before they began"
}

// rangeLeftOut: a member does not look whether the revision of a range is there, and it is not.
type rangeLeftOut struct{ revision int64 }

// Text implements sim.Note.
func (n rangeLeftOut) Text(*sim.World) string {
	return "is not the member that answers a transaction, and so skips its range at revision " + strconv.FormatInt(n.revision, 10) +
		", which does not exist: the member that answers refuses the transaction for it, and this one goes on to apply it"
}
