package etcd

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/release"
)

// wholeBranches are the branches that have the change of a row from their first
// release on, by the first release of the row. They were released after it.
var wholeBranches = map[string][]string{
	"3.3.14": {"3.4", "3.5", "3.6", "3.7"},
	"3.4.0":  {"3.5", "3.6", "3.7"},
	"3.3.23": {"3.5", "3.6", "3.7"},
	"3.4.25": {"3.6", "3.7"},
	"3.4.31": {"3.6", "3.7"},
	"3.4.32": {"3.6", "3.7"},
	"3.4.34": {"3.6", "3.7"},
	"3.4.36": {"3.6", "3.7"},
	"3.4.38": {"3.7"},
	"3.4.42": {"3.7"},
	// The row that begins at 3.6.6 takes it back.
	"3.6.0": {"3.7"},
	"3.6.6": {"3.7"},
}

// TestARowSaysWhatItDoesToLaterBranches: a row holds for all of every later branch
// that it does not name, which is easily overlooked.
func TestARowSaysWhatItDoesToLaterBranches(t *testing.T) {
	for _, c := range changes {
		first := c.since[0]
		var whole []string
		for _, last := range newestKnown {
			named := slices.ContainsFunc(c.since, func(v release.Version) bool { return v.SameBranch(last) })
			if !named && first.Before(last) && c.since.Includes(release.Version{Major: last.Major, Minor: last.Minor}) {
				whole = append(whole, last.Branch())
			}
		}
		require.Equal(t, wholeBranches[first.String()], whole,
			"the row of version.go that begins at %s (%v) holds for all releases of %v. If they all have the change, write them into wholeBranches; "+
				"if not, name the first release with it in the row", first, c.settings, whole)
	}
}

// TestNoRowBeginsAboveTheNewestKnownRelease: it would be in force and in no list.
func TestNoRowBeginsAboveTheNewestKnownRelease(t *testing.T) {
	for _, c := range changes {
		for _, v := range c.since {
			at := branchOf(v)
			require.GreaterOrEqual(t, at, 0, "the row of version.go that names %s (%v): add its branch to newestKnown", v, c.settings)
			require.False(t, newestKnown[at].Before(v), "the row of version.go that names %s (%v): raise %s in newestKnown", v, c.settings, newestKnown[at])
		}
	}
}
