package known

import (
	"slices"

	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/testbed"
)

// The version check matters to every scenario whose design has one.
func init() {
	Register(slices.Concat(
		When(StartsBeforeCheck).RarelyViolates(reads.AnswersInTime, watches.InitialEventsEnd).
			Because("until etcd has said its version the cache requests no progress and refuses watches with initial events"),
		When(FindsEtcdTooOld, SameEtcd, testbed.Unless(ServesStale)).RarelyViolates(reads.AnswersInTime, watches.InitialEventsEnd, informers.CatchUp).
			Because("a cache that does not trust etcd requests no progress and refuses watches with initial events"),
	)...)
}
