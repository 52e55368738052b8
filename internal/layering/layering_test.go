package layering

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// load asks go list for all packages of the module and all that they import.
func load(t *testing.T) graph {
	t.Helper()
	lookAtFolders(t)
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports,Standard,Doc", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	require.NoError(t, err, "go list")
	g := graph{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath, Doc string
			Imports         []string
			Standard        bool
		}
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return g
		}
		require.NoError(t, err)
		name := short(p.ImportPath)
		node := pkg{ours: name != p.ImportPath, doc: p.Doc}
		for _, i := range p.Imports {
			node.imports = append(node.imports, short(i))
		}
		if p.Standard {
			// What the standard library imports itself is its own affair.
			node.imports = nil
		}
		g[name] = node
	}
}

// lookAtFolders lists all folders of the module. go test keeps a result until a
// file or folder changes that the test itself has looked at, and does not see what
// go list reads.
func lookAtFolders(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		return err
	})
	require.NoError(t, err)
}

func report(t *testing.T, found []string) {
	t.Helper()
	for _, f := range found {
		t.Error(f)
	}
}

func TestImports(t *testing.T) {
	g := load(t)
	require.Contains(t, g.ours(), "sim/cache")
	require.Contains(t, g["command"].imports, "github.com/spf13/cobra")
	t.Run("a package imports only packages below it", func(t *testing.T) { report(t, checkLayers(g, layers)) })
	t.Run("some packages must never import others", func(t *testing.T) { report(t, checkForbidden(g, forbidden)) })
	t.Run("no import runs back up inside a tree", func(t *testing.T) { report(t, checkTrees(g)) })
	t.Run("every package has a comment", func(t *testing.T) { report(t, checkComments(g)) })
}

// TestRulesAreAboutPackagesThatExist: a rule about a package that does not exist
// holds nothing.
func TestRulesAreAboutPackagesThatExist(t *testing.T) {
	g := load(t)
	exists := func(pattern string) bool {
		for name := range g {
			if matches(pattern, name) {
				return true
			}
		}
		return false
	}
	for _, r := range forbidden {
		for _, patterns := range [][]string{r.packages, r.except, r.never} {
			for _, p := range patterns {
				require.True(t, exists(p), "%s: there is no package %s", r.because, p)
			}
		}
	}
	for _, patterns := range layers {
		for _, p := range patterns {
			require.True(t, exists(p), "there is no package %s", p)
		}
	}
}
