package guests

import "strings"

// Schedule is where the goroutines of a guest may stop, beside where they wait.
type Schedule struct {
	// Locks: they give way where they take a lock (sync.Mutex, sync.RWMutex).
	Locks bool
	// Late: those that can run may do so only after the world has gone on.
	Late bool
}

const (
	// atLocks is what the name of a guest ends with whose goroutines give way at locks.
	atLocks = ":locks"
	// late is what the name of a guest of Kubernetes ends with whose goroutines may be late. Those of etcd always may.
	late = ":late"
)

// String is what is behind the name of a guest that is scheduled so.
func (s Schedule) String() string {
	var name string
	if s.Locks {
		name = atLocks
	}
	if s.Late {
		name += late
	}
	return name
}

// AtLocks takes apart the name of a guest and whether its goroutines give way at locks: etcd@v3.5.35:locks.
func AtLocks(name string) (guest string, locks bool) {
	guest, how := Scheduled(name)
	if how.Late {
		return name, false
	}
	return guest, how.Locks
}

// Scheduled takes apart the name of a guest of Kubernetes and how its goroutines are scheduled:
// kubernetes@v0.37.2:locks:late. A name that says so otherwise is left whole.
func Scheduled(name string) (guest string, how Schedule) {
	guest, how.Late = strings.CutSuffix(name, late)
	guest, how.Locks = strings.CutSuffix(guest, atLocks)
	if strings.Contains(guest, ":") {
		return name, Schedule{}
	}
	return guest, how
}
