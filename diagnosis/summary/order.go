package summary

import (
	"cmp"
	"slices"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/testbed"
)

// PlainestFirst puts the failures first that are not known, and among these and among those that are known the ones that say most about the
// cause: the property with which a planted bug is listed, then what clients are answered, data that is missing before a revision that is too
// old; then what informers hold, what watches are sent, and last what a cache holds inside.
func PlainestFirst(known []Known, p *testbed.Params, list []campaign.FailureTally) []campaign.FailureTally {
	isKnown := func(t campaign.FailureTally) bool { return Reasons(known, t.Failure.Property) != "" }
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
		first := func(x, y bool) int {
			switch {
			case x == y:
				return 0
			case x:
				return -1
			}
			return 1
		}
		return cmp.Or(first(isKnown(b), isKnown(a)), first(listed(a), listed(b)), weight(b)-weight(a))
	})
	return sorted
}
