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
	takes, files := map[string]int{}, map[string]*ast.File{}
	require.NoError(t, filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		files[path] = file
		ast.Inspect(file, func(n ast.Node) bool {
			switch f := n.(type) {
			case *ast.FuncDecl:
				takeLabel(takes, filepath.Dir(path), f.Name, f.Type)
			case *ast.AssignStmt:
				if of, ok := f.Rhs[0].(*ast.FuncLit); ok {
					takeLabel(takes, filepath.Dir(path), f.Lhs[0].(*ast.Ident), of.Type)
				}
			}
			return true
		})
		return nil
	}))
	seen := 0
	for path, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if label := labelOf(n, filepath.Dir(path), takes); label != "" {
				seen++
				assert.True(t, known[label], "%s: the label %q has no words", path, label)
			}
			return true
		})
	}
	assert.Greater(t, seen, 100)
}

// takeLabel adds a function with a parameter of the name label, and the parameter's place.
func takeLabel(to map[string]int, folder string, name *ast.Ident, of *ast.FuncType) {
	place := 0
	for _, f := range of.Params.List {
		for _, p := range f.Names {
			if p.Name == "label" {
				to[folder+"."+name.Name] = place
			}
			place++
		}
	}
}

// labelOf is the label in a call of Violate, or of what takes a label, empty if there is none to read.
func labelOf(n ast.Node, folder string, takes map[string]int) string {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return ""
	}
	name := ""
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		name = f.Sel.Name
	case *ast.Ident:
		name = f.Name
	}
	at, ok := takes[folder+"."+name]
	switch {
	case name == "Violate" && len(call.Args) > 2:
		// That of an operation takes the tally first.
		at = 1
	case name == "Violate", name == "Violatef":
		at = 0
	case !ok:
		return ""
	}
	if at >= len(call.Args) {
		return ""
	}
	text, isText := call.Args[at].(*ast.BasicLit)
	if !isText {
		return ""
	}
	label, err := strconv.Unquote(text.Value)
	if err != nil {
		return ""
	}
	return label
}
