package summary

import (
	"slices"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/testbed"
)

// PlainestFirst puts the failures first that say most about the cause: the property
// with which a planted bug is listed, then what clients are answered, data that is
// missing before a revision that is too old; then what informers hold, what watches
// are sent, and last what a cache holds inside.
func PlainestFirst(p *testbed.Params, list []campaign.FailureTally) []campaign.FailureTally {
	listed := func(t campaign.FailureTally) bool {
		return slices.ContainsFunc(p.Planted(), func(b *testbed.KnownBug) bool {
			return b.Property.Name == t.Failure.Property
		})
	}
	weight := func(t campaign.FailureTally) int {
		found, err := testbed.FindProperty(t.Failure.Property)
		if err != nil {
			return 0
		}
		return found.Weight
	}
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b campaign.FailureTally) int {
		if x, y := listed(a), listed(b); x != y {
			if x {
				return -1
			}
			return 1
		}
		return weight(b) - weight(a)
	})
	return sorted
}
