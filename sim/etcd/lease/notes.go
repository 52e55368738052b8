package lease

import (
	"strconv"
	"time"

	"github.com/watchbed/watchbed/sim"
)

// What the server notes of leases while a run is observed.

func name(id int64) string { return "lease " + strconv.FormatInt(id, 10) }

// Renewed: a keep-alive is answered. Until is when the lease runs out now, Promised whether
// that is its whole time from now on.
type Renewed struct {
	ID       int64
	Until    sim.Time
	Promised bool
}

// Text implements sim.Note.
func (n Renewed) Text(w *sim.World) string {
	until := ""
	if w.Mode() == sim.Timed {
		until = " until " + time.Duration(n.Until).String()
	}
	if n.Promised {
		return "keeps " + name(n.ID) + " alive" + until
	}
	return "answers that " + name(n.ID) + " is kept alive, and does not: it lives on" + until
}

// SetsBack implements sim.Setback.
func (n Renewed) SetsBack() bool { return !n.Promised }

// RanOut: the lessor finds that a lease has run out, and its revocation is in the log.
type RanOut struct{ ID int64 }

// Text implements sim.Note.
func (n RanOut) Text(*sim.World) string {
	return "finds that " + name(n.ID) + " has run out, and proposes to revoke it"
}

// BeganToLead: a member that leads from now on gives all leases their time again.
type BeganToLead struct {
	Leases int
	// Queued: they are in the queue of what expires.
	Queued bool
}

// Text implements sim.Note.
func (n BeganToLead) Text(*sim.World) string {
	text := "begins to look after " + strconv.Itoa(n.Leases) + " leases"
	if n.Leases == 1 {
		text = "begins to look after 1 lease"
	}
	if n.Queued {
		return text + ", with their whole time"
	}
	return text + ", and does not queue what expires"
}

// SetsBack implements sim.Setback.
func (n BeganToLead) SetsBack() bool { return !n.Queued }

// LooksUpLeaderless: a LeaseTimeToLive looks a lease up after the member has stopped to lead.
type LooksUpLeaderless struct{ ID int64 }

// Text implements sim.Note.
func (n LooksUpLeaderless) Text(*sim.World) string {
	return "looks " + name(n.ID) + " up, which lives for ever since it has stopped to lead"
}

// SetsBack implements sim.Setback.
func (n LooksUpLeaderless) SetsBack() bool { return true }
