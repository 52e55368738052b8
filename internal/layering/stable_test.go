package layering

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// stableNames is how many exported names the stable packages may have together, without methods and fields.
const stableNames = 250

// TestStablePackagesAreNamed: a package that others import is internal, says in its first line that it is unstable, or
// is one of those that the README calls stable. Those have few names. Package scenarios has a variable for each
// scenario, and is not counted.
func TestStablePackagesAreNamed(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	sentence := regexp.MustCompile(`(?s)Stable are (.*?)\.\s`).FindSubmatch(readme)
	require.NotNil(t, sentence)
	var named, found []string
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllSubmatch(sentence[1], -1) {
		named = append(named, string(m[1]))
	}
	count := 0
	g := load(t)
	for _, name := range g.ours() {
		if matchesAny([]string{"cmd/...", "internal/...", "explore/internal/..."}, name) || strings.Contains(g[name].doc, " (unstable) ") {
			continue
		}
		found = append(found, name)
		if name != "scenarios" {
			count += exportedNames(t, "../../"+name)
		}
	}
	require.ElementsMatch(t, named, found)
	require.LessOrEqual(t, count, stableNames)
	t.Logf("%d exported names", count)
}

func exportedNames(t *testing.T, dir string) int {
	t.Helper()
	files, err := filepath.Glob(dir + "/*.go")
	require.NoError(t, err)
	n := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.FileExports(f)
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					n++
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						n++
					case *ast.ValueSpec:
						n += len(s.Names)
					}
				}
			}
		}
	}
	return n
}
