package scenarios

import (
	"strconv"
	"strings"
)

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
