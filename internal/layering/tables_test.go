package layering

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// updating is the flag of a test that writes what it else compares with.
var updating = regexp.MustCompile(`flag\.Bool\("([a-z.]*update)"`)

// TestMakeWritesAllTables: `make tables` has each package whose tests write something down,
// with the flag that makes them do so.
func TestMakeWritesAllTables(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	require.NoError(t, err)
	modules := map[string]string{}
	for _, name := range []string{"upstream", "lab"} {
		text, err := os.ReadFile("../../" + name + "/Makefile")
		require.NoError(t, err)
		modules[name] = string(text)
	}
	found := 0
	require.NoError(t, filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range updating.FindAllStringSubmatch(string(text), -1) {
			found++
			folder, err := filepath.Rel("../..", filepath.Dir(path))
			require.NoError(t, err)
			if module, _, _ := strings.Cut(filepath.ToSlash(folder), "/"); modules[module] != "" {
				require.Contains(t, modules[module], "-"+m[1], "%s: -%s is in no target of %s/Makefile", path, m[1], module)
				continue
			}
			step := regexp.MustCompile(`(?m)^\twrite \./` + regexp.QuoteMeta(folder) + ` -run .* -` + regexp.QuoteMeta(m[1]) + `; \\$`)
			require.Regexp(t, step, string(makefile), "%s: -%s is not in the target tables", path, m[1])
		}
		return nil
	}))
	require.Greater(t, found, 5)
}
