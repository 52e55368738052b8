package properties_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/testbed"
)

// TestEveryLabelHasWords: what a judge calls a violation is in the Labels of a property,
// so that `simrun list LABEL` explains the name of each replay file.
func TestEveryLabelHasWords(t *testing.T) {
	known := map[string]bool{}
	for _, p := range testbed.Properties() {
		for label := range p.Labels {
			known[label] = true
		}
	}
	seen := 0
	require.NoError(t, filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if label := labelOf(n); label != "" {
				seen++
				assert.True(t, known[label], "%s: the label %q has no words", path, label)
			}
			return true
		})
		return nil
	}))
	assert.NotZero(t, seen)
}

// labelOf is the label in a call of Violate, empty if there is none to read.
func labelOf(n ast.Node) string {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return ""
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	text, isText := call.Args[0].(*ast.BasicLit)
	if !ok || !isText || !strings.EqualFold(f.Sel.Name, "violate") {
		return ""
	}
	label, err := strconv.Unquote(text.Value)
	if err != nil {
		return ""
	}
	return label
}
