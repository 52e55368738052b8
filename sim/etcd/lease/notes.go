package lease

import (
	"strconv"
	"time"

	"github.com/watchbed/watchbed/sim"
)

// What the server notes of leases while a run is observed. Renewed are the answers to a keep-alive: with the time that the
// lease has now, which is not said in a run without a clock.
var (
	Renewed           = sim.NewNote2[int64, Until]("lease.Renewed", "keeps lease %d alive%s")
	RenewedInVain     = sim.NewNote2[int64, Until]("lease.Renewed", "answers that lease %d is kept alive, and does not: it lives on%s", sim.IsSetback)
	BeganToLead       = sim.NewNote1[sim.Counted]("lease.BeganToLead", "begins to look after %s, with their whole time")
	BeganToForget     = sim.NewNote1[sim.Counted]("lease.BeganToLead", "begins to look after %s, and does not queue what expires", sim.IsSetback)
	LooksUpLeaderless = sim.NewNote1[int64]("lease.LooksUpLeaderless", "looks lease %d up, which lives for ever since it has stopped to lead", sim.IsSetback)
)

// RanOut: the lessor finds that a lease has run out, and its revocation is in the log.
type RanOut struct{ ID int64 }

// Text implements sim.Note.
func (n RanOut) Text(*sim.World) string {
	return "finds that lease " + strconv.FormatInt(n.ID, 10) + " has run out, and proposes to revoke it"
}

// Until is when a lease runs out.
type Until struct {
	At    sim.Time
	Timed bool
}

func (u Until) String() string {
	if !u.Timed {
		return ""
	}
	return " until " + time.Duration(u.At).String()
}
