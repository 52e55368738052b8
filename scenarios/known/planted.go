package known

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/testbed"
)

// Planted are the rows about bugs that are looked for in this scenario when they are
// planted. A bug excuses its known violations, and nothing else.
func Planted(sc *testbed.Scenario) []testbed.Row {
	var rows []testbed.Row
	for _, b := range testbed.KnownBugs() {
		if !b.ShowsIn(sc) {
			continue
		}
		rows = append(rows, When(plants(b)).Violates(b.Property).Because(b.Why)...)
		if len(b.Further) > 0 {
			rows = append(rows, When(plants(b)).RarelyViolates(b.Further...).Because(b.WhyFurther)...)
		}
	}
	return claimed(sc, rows)
}

// plantedElsewhere are the rows about all other bugs: what they violate in their own
// scenarios they may violate in this one. They say nothing about the scenario, so they
// are not among its Rows.
func plantedElsewhere(sc *testbed.Scenario) []testbed.Row {
	var rows []testbed.Row
	for _, b := range testbed.KnownBugs() {
		if !b.ShowsIn(sc) {
			violates := append([]*testbed.Property{b.Property}, b.Further...)
			if slices.Contains(violates, reads.Linearizable) {
				// It is the same property of fewer scenarios.
				violates = append(violates, reads.LinearizableAnswers)
			}
			rows = append(rows, When(plants(b)).RarelyViolates(violates...).Because("the planted bug "+b.Name+" violates it in the scenario "+b.Scenario.Name)...)
		}
	}
	return claimed(sc, rows)
}

// plants holds if a known bug is planted, by its name or by its option.
func plants(b *testbed.KnownBug) testbed.Condition {
	return testbed.NewCondition("the bug "+b.Name+" is planted", func(s *testbed.Setup) bool {
		return s.Params.Plants(b)
	})
}

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
