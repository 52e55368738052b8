package lease

import (
	"time"

	"github.com/watchbed/watchbed/sim"
)

// What the server notes of leases while a run is observed. Renewed are the answers to a keep-alive: with the time that
// the lease has now, which is not said in a run without a clock.
var (
	Renewed           = sim.NewNote2[int64, Until]("lease.Renewed", "keeps lease %d alive%s")
	RenewedInVain     = sim.NewNote2[int64, Until]("lease.Renewed", "answers that lease %d is kept alive, and does not: it lives on%s", sim.IsSetback)
	BeganToLead       = sim.NewNote1[sim.Counted]("lease.BeganToLead", "begins to look after %s, with their whole time")
	BeganToForget     = sim.NewNote1[sim.Counted]("lease.BeganToLead", "begins to look after %s, and does not queue what expires", sim.IsSetback)
	RanOut            = sim.NewNote1[int64]("lease.RanOut", "finds that lease %d has run out, and proposes to revoke it")
	LooksUpLeaderless = sim.NewNote1[int64]("lease.LooksUpLeaderless", "looks lease %d up, which lives for ever since it has stopped to lead", sim.IsSetback)
)

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
