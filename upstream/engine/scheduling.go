package engine

import "strings"

// Scheduling is where the goroutines of a guest may give way to others, beside where they wait.
type Scheduling struct {
	// Locks: where they take a lock (sync.Mutex, sync.RWMutex).
	Locks bool
}

// atLocks is what the name of a guest ends with whose goroutines give way at locks.
const atLocks = ":locks"

// Scheduled takes apart the name of a guest and how it is scheduled: kubernetes@v0.37.2:locks.
func Scheduled(name string) (guest string, how Scheduling) {
	guest, how.Locks = strings.CutSuffix(name, atLocks)
	return guest, how
}
