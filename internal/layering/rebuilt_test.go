package layering

import (
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// checkRebuilt names each package for whose tests others are compiled once more. go list
// -test writes such a one as "other [package.test]".
func checkRebuilt(listed []string) (found []string) {
	rebuilt := map[string]int{}
	for _, line := range listed {
		name, of, ok := strings.Cut(strings.TrimSuffix(line, ".test]"), " [")
		if ok && name != of && name != of+"_test" {
			rebuilt[of]++
		}
	}
	for _, of := range slices.Sorted(maps.Keys(rebuilt)) {
		found = append(found, fmt.Sprintf("the tests of %s have go test compile %d packages once more: move the test file that is in the package itself, or those that import what is above it",
			short(of), rebuilt[of]))
	}
	return found
}

// TestNoPackageIsBuiltAgainForTests: a package is compiled with its test files for its own
// tests. If its folder has tests of package x_test as well, and they import packages that import
// it, then all of these are compiled again, too. With three such folders that was a third of all
// compiling of go test ./...
func TestNoPackageIsBuiltAgainForTests(t *testing.T) {
	lookAtFolders(t)
	cmd := exec.Command("go", "list", "-test", "-deps", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	require.NoError(t, err, "go list")
	report(t, checkRebuilt(strings.Split(strings.TrimSpace(string(out)), "\n")))
}

func TestRebuiltPackagesAreFound(t *testing.T) {
	require.Empty(t, checkRebuilt([]string{"fmt", "m/a", "m/a.test", "m/a [m/a.test]", "m/a_test [m/a.test]", "m/b_test [m/b.test]"}))
	require.Equal(t, []string{"the tests of m/a have go test compile 2 packages once more: move the test file that is in the package itself, or those that import what is above it"},
		checkRebuilt([]string{"m/a [m/a.test]", "m/b [m/a.test]", "m/c [m/a.test]", "m/a_test [m/a.test]"}))
}
