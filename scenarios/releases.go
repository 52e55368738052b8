package scenarios

import (
	"slices"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed"
)

// hasBug reports whether the server has a bug, by its name in etcd.Bugs: by the
// release notes, unless the parameters say something else of that behaviour.
// Where a fix brought the next bug, as that of #15220 brought #17507, a release
// has the first one that is not fixed in it.
func hasBug(p *testbed.Params, name string) bool {
	i := slices.IndexFunc(etcd.Bugs(), func(b etcd.Bug) bool { return b.Name == name })
	bug := etcd.Bugs()[i]
	for _, set := range p.Bugs {
		if dim, value, err := testbed.ResolveBug(set); err == nil && dim == bug.Dimension {
			return value == bug.Value
		}
	}
	for _, set := range p.Settings {
		if dim, value, _ := strings.Cut(set, "="); dim == bug.Dimension {
			return value == bug.Value
		}
	}
	for _, race := range p.Masked() {
		if race.Option == bug.Dimension {
			return race.Value == bug.Value
		}
	}
	for _, b := range etcd.Bugs() {
		if b.Dimension == bug.Dimension && (b.FixedIn == nil || olderThanFix(p.Etcd, b.FixedIn...)) {
			return b.Name == name
		}
	}
	return false
}

// clientRepeats reports whether the client library resumes a watch one revision
// early after progress, so that its last event comes twice
// (etcd-io/etcd#15248).
func clientRepeats(p *testbed.Params) bool {
	for _, set := range p.Bugs {
		if dim, value, err := testbed.ResolveBug(set); err == nil && dim == "resume-revision" {
			return value == "at-header"
		}
	}
	return olderThanFix(p.ClientVersion(), "3.4.24", "3.5.8")
}

// olderThanFix reports whether a release is older than the fix on its branch;
// branches that are not listed had the fix from their first release on.
func olderThanFix(version string, fixes ...string) bool {
	minor, patch := minorAndPatch(version)
	for _, f := range fixes {
		if m, p := minorAndPatch(f); m == minor {
			return patch < p
		}
	}
	return false
}

func minorAndPatch(version string) (minor, patch int) {
	parts := strings.Split(strings.TrimPrefix(version, "v"), ".")
	if len(parts) != 3 {
		return 0, 0
	}
	minor, _ = strconv.Atoi(parts[1])
	patch, _ = strconv.Atoi(parts[2])
	return minor, patch
}
