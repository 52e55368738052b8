package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

var refusedWithoutReason = known.When(known.RefusesWithoutReason).RarelyViolates(etcdapi.WatchAnswers).
	Because("releases of etcd before 3.4 do not say why they refuse a watch")

// anyWatches are the rows of a scenario whose streams draw their watches, and whose clients
// compact.
func anyWatches() []testbed.Row {
	missed := []*testbed.Property{watches.Reliable, watches.Resumable, watches.KeepUp}
	return slices.Concat(
		known.When(known.AcceptsNegativeStart).RarelyViolates(missed...).
			Because("a watch from revision -1 makes every watch of its round synced without events (etcd-io/etcd#20693)"),
		known.When(known.ForgetsCompactedWatch).RarelyViolates(missed...).
			Because("events of a compacted watch never come (etcd-io/etcd#17529)"),
		known.When(known.CompactionRemovesDeletion).RarelyViolates(missed...).
			Because("a watch from the compacted revision misses the deletion at that revision (etcd-io/etcd#18089)"),
		known.RangesLeftOut(slices.Concat(missed, []*testbed.Property{etcdapi.Answers, etcdapi.WatchAnswers, watches.PrevKV})...),
		refusedWithoutReason,
	)
}

// afterRestarts are the rows of one in which etcd may restart as well.
func afterRestarts() []testbed.Row {
	return slices.Concat(
		known.When(known.RestartRemovesDeletion).RarelyViolates(watches.Reliable, watches.Resumable, watches.KeepUp).
			Because("a watch from the compacted revision misses the deletion at that revision (etcd-io/etcd#19179)"),
		known.When(known.RestartTakesRevisionBack).RarelyViolates(etcdapi.Answers, etcdapi.WatchAnswers).
			Because("after a crash in a compaction etcd gives out revisions for the second time (etcd-io/etcd#17780)"),
	)
}
