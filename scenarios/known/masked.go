package known

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/testbed"
)

// masked are the rows about each race that scenarios mask, by the option that masks
// it. They hold where a race is not masked in a scenario that is not about it.
var masked = map[string][]testbed.Row{
	"created": slices.Concat(
		When(CreatedOvertakesProgress, WaitsUntilFresh, RequestsProgress, TrustsEtcd).
			RarelyViolates(reads.Linearizable, reads.LinearizableData, reads.Sequential, reads.Monotonic, reads.Exact, reads.Pages).
			Because("a cache that watches anew on a live stream takes older progress for its own (what is left of etcd-io/etcd#15220)"),
		When(CreatedOvertakesProgress, HearsOfProgress, RequestsProgress, TrustsEtcd).
			RarelyViolates(caches.MatchEtcd, watches.Ordered, watches.Unique, watches.Reliable, watches.Bookmarkable, watches.InitialEvents, watches.EventTypes,
				informers.MatchEtcd, informers.Monotonic, informers.CatchUp).
			Because("a cache that takes older progress for its own goes back in time, and its watches with it (what is left of etcd-io/etcd#15220)")),
}

// Unmasked are the rows about races that the scenario masks.
func Unmasked(sc *testbed.Scenario) []testbed.Row {
	var rows []testbed.Row
	for _, race := range sc.Params.Masked() {
		rows = append(rows, masked[race.Option]...)
	}
	return claimed(sc, rows)
}
