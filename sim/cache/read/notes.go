package read

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// waits: a read begins to wait until the cache is fresh.
type waits struct {
	from       sim.NodeID
	what       string
	wanted, at int64
	// proof: it waits for the answer to a progress request in place of wanted.
	proof bool
}

// Text implements sim.Note.
func (n waits) Text(w *sim.World) string {
	what := "resourceVersion " + number(n.wanted)
	if n.proof {
		what = "the answer to a progress request that is still to be sent"
	}
	return w.NodeName(n.from) + "'s " + n.what + " waits for " + what + "; the cache is at " + number(n.at)
}

// About implements sim.Subject.
func (n waits) About() sim.About { return sim.About{Revision: n.wanted} }

// waitsSilently: the read is none of those for which etcd is asked for progress.
type waitsSilently struct{ wanted int64 }

// Text implements sim.Note.
func (n waitsSilently) Text(*sim.World) string { return "does not ask etcd for progress for it" }

// About implements sim.Subject.
func (n waitsSilently) About() sim.About { return sim.About{Revision: n.wanted} }

// unasked: the read begins, and etcd is not asked for its revision.
type unasked struct{}

// Text implements sim.Note.
func (unasked) Text(*sim.World) string { return "does not ask etcd for its revision" }

// openPrefix: the prefix of a list is one of keys, and not a range below a "/".
type openPrefix struct{ prefix string }

// Text implements sim.Note.
func (n openPrefix) Text(*sim.World) string {
	return "takes all keys that begin with " + n.prefix + ", not only those below it"
}

// gaveUp: the time of a read is up.
type gaveUp struct {
	from       sim.NodeID
	what       string
	wanted, at int64
}

// Text implements sim.Note.
func (n gaveUp) Text(w *sim.World) string {
	return "gives up on " + w.NodeName(n.from) + "'s " + n.what + ": it is still at resourceVersion " + number(n.at) + ", not at " + number(n.wanted)
}

// About implements sim.Subject.
func (n gaveUp) About() sim.About { return sim.About{Revision: n.wanted} }

// fellBack: etcd is to answer what the cache could not.
type fellBack struct{}

// Text implements sim.Note.
func (fellBack) Text(*sim.World) string { return "asks etcd for the list instead" }

// distrusts: the cache relies on no progress of etcd now.
type distrusts struct{ because string }

// Text implements sim.Note.
func (n distrusts) Text(*sim.World) string {
	return "does not rely on progress notifications: " + n.because
}

// passesOn: the read is etcd's to answer.
type passesOn struct {
	from sim.NodeID
	what string
	// exact is the resourceVersion that the answer is to be of, 0 if it is to be the
	// newest.
	exact int64
}

// Text implements sim.Note.
func (n passesOn) Text(w *sim.World) string {
	text := "passes " + w.NodeName(n.from) + "'s " + n.what + " on to etcd"
	if n.exact != 0 {
		text += ", which is asked for exactly resourceVersion " + number(n.exact)
	}
	return text
}

// About implements sim.Subject.
func (n passesOn) About() sim.About { return sim.About{Revision: n.exact} }

// passesPageOn: the page after another is etcd's to answer.
type passesPageOn struct{ passesOn }

// noteAsksEtcd says that the read is put to etcd.
func (r *Read) noteAsksEtcd(env *sim.Env, origin wire.Origin) {
	if origin == wire.FromFallback {
		env.Note(fellBack{})
		return
	}
	n := passesOn{from: r.from, what: r.label(), exact: r.exact}
	if r.list != nil && r.list.Continue != "" {
		env.Note(passesPageOn{n})
		return
	}
	env.Note(n)
}

// heard: etcd has answered with its revision.
type heard struct{ revision int64 }

// Text implements sim.Note.
func (n heard) Text(*sim.World) string {
	return "hears from etcd that it is at revision " + number(n.revision)
}

// About implements sim.Subject.
func (n heard) About() sim.About { return sim.About{Revision: n.revision} }

// answers: the cache answers a read.
type answers struct {
	from sim.NodeID
	what string
	at   int64
	// snapshot is the resourceVersion of the snapshot that the answer is taken from,
	// 0 if it is from the newest state.
	snapshot int64
}

// Text implements sim.Note.
func (n answers) Text(w *sim.World) string {
	text := "answers " + w.NodeName(n.from) + "'s " + n.what
	if n.snapshot != 0 {
		return text + " from its snapshot of resourceVersion " + number(n.snapshot)
	}
	return text + " at resourceVersion " + number(n.at)
}

// About implements sim.Subject.
func (n answers) About() sim.About { return sim.About{Revision: n.at} }

// otherState: a list goes on in another state than it began in.
type otherState struct{ began, newest int64 }

// Text implements sim.Note.
func (n otherState) Text(*sim.World) string {
	return "goes on with a list of resourceVersion " + number(n.began) + " in the state at " + number(n.newest)
}

// About implements sim.Subject.
func (n otherState) About() sim.About { return sim.About{Revision: n.newest} }

// refusesDelegation: too many lists are with etcd.
type refusesDelegation struct {
	from  sim.NodeID
	what  string
	under int
}

// Text implements sim.Note.
func (n refusesDelegation) Text(w *sim.World) string {
	lists := strconv.Itoa(n.under) + " lists are"
	if n.under == 1 {
		lists = "1 list is"
	}
	return "refuses " + w.NodeName(n.from) + "'s " + n.what + ": " + lists + " with etcd already"
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// otherReader: a read waits for the revision that etcd answered to another one.
type otherReader struct{ kept int64 }

// Text implements sim.Note.
func (n otherReader) Text(*sim.World) string {
	return "waits for revision " + number(n.kept) + ", which etcd answered to the reader before"
}

// About implements sim.Subject.
func (n otherReader) About() sim.About { return sim.About{Revision: n.kept} }

// lockedOut: an event cannot be taken in.
type lockedOut struct{ event *wire.WatchEvent }

// SetsBack implements sim.Setback.
func (n lockedOut) SetsBack() bool { return true }

// Text implements sim.Note.
func (n lockedOut) Text(*sim.World) string {
	return "cannot take in " + n.event.Label() + ": a WatchList holds the lock while it waits for that event"
}
