package scenarios

import (
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim/etcd"
)

// hasBug reports whether the server has a bug, by its name in etcd.Bugs: by the
// release notes, unless the parameters say something else of that behaviour.
func hasBug(p *Params, name string) bool {
	var bug etcd.Bug
	for _, b := range etcd.Bugs() {
		if b.Name == name {
			bug = b
		}
	}
	for _, set := range p.Bugs {
		if dim, value, err := resolveBug(set); err == nil && dim == bug.Dimension {
			return value == bug.Value
		}
	}
	for _, assumed := range p.Assume {
		if dim, value, _ := strings.Cut(assumed, "="); dim == bug.Dimension {
			return value == bug.Value
		}
	}
	return bug.FixedIn == nil || olderThanFix(p.Etcd, bug.FixedIn...)
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
