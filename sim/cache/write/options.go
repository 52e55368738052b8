package write

import (
	"slices"

	"github.com/watchbed/watchbed/sim/option"
)

// Options is how a design treats writes. The zero value is what is shipped.
type Options struct {
	Suggestion        Suggestion
	VanishedIsDeleted bool
	// NotFoundUnversioned: the error of a write that finds no object has no resourceVersion, which getState of
	// k8s.io/apiserver v0.37.2 does, and v0.38.0-alpha.2 no longer.
	NotFoundUnversioned bool
	// StatesFromCache: a write begins with a state of the cache, and goes on with one (KEP-6404).
	StatesFromCache bool
	// Mistake is one in how such states are taken.
	Mistake Mistake
}

// Mistake is the value of the option cached-state.
type Mistake uint8

const (
	noMistake Mistake = iota
	conflictUnwaited
	refreshUnread
	missingTrusted
	unchangedCreation
)

// Suggestion is what a write relies on of the object that the cache has, which may be stale.
type Suggestion uint8

const (
	checked Suggestion = iota
	trustedByUpdates
	live
	trustedByUpdateFunction
	trustedUnchanged
	settled
	trustedByValidation
	trustedByPrecondition
	trustedByDeletions
)

// check is one of the places where a suggestion decides what becomes of a write. noChange is that an update leaves the
// object as it is.
type check uint8

const (
	updatePrecondition check = iota
	updateFunction
	noChange
	deletePrecondition
	validation
)

// trusted are the checks whose outcome counts although the suggestion may be stale.
var trusted = [...][]check{
	trustedByUpdates:        {updatePrecondition, updateFunction, noChange},
	trustedByUpdateFunction: {updateFunction},
	trustedUnchanged:        {noChange},
	trustedByValidation:     {validation},
	trustedByPrecondition:   {updatePrecondition},
	trustedByDeletions:      {deletePrecondition},
}

func (s Suggestion) trusts(c check) bool { return slices.Contains(trusted[s], c) }

// Group is all options in which designs differ.
var Group = option.NewGroup("cache",
	option.Choice("suggestion", func(o *Options) *Suggestion { return &o.Suggestion }, "what a write relies on of the object that the cache has",
		option.Val("checked", "nothing: what decides is looked at in etcd as well"),
		option.Bug("trusted-by-updates", "all that an update checks (kubernetes#35415)"),
		option.Bug("live", "it is the object itself and no copy, and the update changes it (kubernetes#35415)"),
		option.Bug("trusted-by-update-function", "the error of an update function (kubernetes#43152)"),
		option.Bug("trusted-unchanged", "that there is nothing to change (kubernetes#48394)"),
		option.Bug("settled", "that there is nothing to change, once etcd has been asked (kubernetes#54780)"),
		option.Bug("trusted-by-validation", "the validation of a deletion (kubernetes#77619)"),
		option.Bug("trusted-by-precondition", "the precondition of an update (kubernetes#82303)"),
		option.Bug("trusted-by-deletions", "the precondition of a deletion (kubernetes#89828)")),
	option.Either("vanished", func(o *Options) *bool { return &o.VanishedIsDeleted }, "what a deletion is answered that finds the object gone",
		option.Val("not-found", "that there is none"),
		option.Bug("deleted", "the object that the cache had, as if that were deleted now (kubernetes#89828)")),
	option.Either("write-state", func(o *Options) *bool { return &o.StatesFromCache }, "where a write gets the object from that it changes",
		option.Val("etcd", "from etcd, unless the transaction proves the one that the cache suggests to be etcd's"),
		option.Val("cache", "from the cache, which waits as for a consistent LIST, or for the revision of the conflict (KEP-6404, ConsistentGetFromCache)")),
	option.Choice("cached-state", func(o *Options) *Mistake { return &o.Mistake }, "how a write takes its object from the cache (write-state=cache)",
		option.Val("waited", "it waits for the revision of the conflict, and for etcd's after a check that failed"),
		option.Bug("conflict-unwaited", "after a conflict it takes what the cache has"),
		option.Bug("refresh-unread", "after a check that failed it takes what the cache has"),
		option.Bug("missing-trusted", "an object that the cache does not have is taken not to exist"),
		option.Bug("unchanged-creation", "a creation by an update fails, too, if there is still no object after the conflict")),
	option.Either("not-found-rv", func(o *Options) *bool { return &o.NotFoundUnversioned }, "which resourceVersion the error of a write has that finds no object",
		option.Val("state", "that of the state without it"),
		option.Bug("none", "none, so that it says 0: as v0.37.2 ships it (kubernetes#138724)")),
)
