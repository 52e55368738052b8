package write

import "slices"

// Check is one of the places where a suggestion decides what becomes of a write.
type Check uint8

// The checks. NoChange is that an update leaves the object as it is.
const (
	UpdatePrecondition Check = iota
	UpdateFunction
	NoChange
	DeletePrecondition
	Validation
)

// Trust is how much a store relies on a suggestion. The zero value relies on it nowhere: what a
// check makes of a suggestion counts only once etcd has the same object.
type Trust struct {
	// Final are the checks whose outcome counts although the suggestion may be stale.
	Final []Check
	// Settles: an update that was thought to change nothing is over when etcd has been asked,
	// whatever etcd has.
	Settles bool
	// Live: the suggestion is the object of the cache itself, not a copy, and the update
	// function changes it in place.
	Live bool
}

func (t *Trust) trusts(c Check) bool { return slices.Contains(t.Final, c) }
