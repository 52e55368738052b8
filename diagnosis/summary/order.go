package summary

import (
	"slices"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/testbed"
)

// PlainestFirst puts the failures first that are not known, and among these and among those that are known the ones
// that say most about the cause: the property with which a planted bug is listed, then what clients are answered, data
// that is missing before a revision that is too old; then what informers hold, what watches are sent, and last what a
// cache holds inside.
func PlainestFirst(known []Known, p *testbed.Params, list []campaign.FailureTally) []campaign.FailureTally {
	const listed, unknown = 1_000, 10_000 // above all weights
	weight := func(t campaign.FailureTally) (n int) {
		if found, err := testbed.FindProperty(t.Failure.Property); err == nil {
			n = found.Weight
		}
		if slices.ContainsFunc(p.Planted(), func(b *testbed.KnownBug) bool { return b.Property.Name == t.Failure.Property }) {
			n += listed
		}
		if Reasons(known, t.Failure.Property) == "" {
			n += unknown
		}
		return n
	}
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b campaign.FailureTally) int { return weight(b) - weight(a) })
	return sorted
}
