package sim

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rock is a node in a state that is nothing but its fingerprint.
type rock struct {
	Idle
	is Digest
}

func (r *rock) Cells(visit CellVisitor)   { visit(0, 0, r.is) }
func (r *rock) Fingerprint(Digest) Digest { return r.is }

// A part of a state on which the first function collides is told apart by the second, wherever
// the part is.
func TestSecondHalfTellsApartWhatTheFirstDoesNot(t *testing.T) {
	a, b := NewDigest.Int(1), NewDigest.Int(2)
	b.first = a.first
	for name, with := range map[string]func(Digest) Digest{
		"goes on":  func(x Digest) Digest { return x.Word(7).Int(7).Bool(true).Text("a long text") },
		"folded":   func(x Digest) Digest { return NewDigest.Fold(x) },
		"summed":   func(x Digest) Digest { return NewDigest.And(x) },
		"in cells": func(x Digest) Digest { return FoldCells(NewDigest, &rock{is: x}) },
		"in a world": func(x Digest) Digest {
			w := NewWorld(Options{})
			w.Add("rock", &rock{is: x})
			d, err := w.Behaviour()
			require.NoError(t, err)
			return d
		},
	} {
		x, y := with(a), with(b)
		require.Equal(t, x.first, y.first, name)
		require.NotEqual(t, x.second, y.second, name)
	}
}

// A digest that is mixed into another one as a word loses its second half.
func TestDigestsAreFoldedWithBothHalves(t *testing.T) {
	of := func(e ast.Expr, method string) ast.Expr {
		call, is := e.(*ast.CallExpr)
		if !is {
			return nil
		}
		selector, is := call.Fun.(*ast.SelectorExpr)
		if !is || selector.Sel.Name != method {
			return nil
		}
		return call
	}
	// The hash of a campaign is not that of a state.
	allowed := []string{"explore/campaign/"}
	found := 0
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		for _, dir := range allowed {
			if strings.HasPrefix(filepath.ToSlash(path), "../"+dir) {
				return nil
			}
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			e, is := n.(ast.Expr)
			if !is {
				return true
			}
			if of(e, "Fold") != nil {
				found++
			}
			for _, method := range []string{"Word", "Int"} {
				call, _ := of(e, method).(*ast.CallExpr)
				if call == nil {
					continue
				}
				for _, arg := range call.Args {
					ast.Inspect(arg, func(inner ast.Node) bool {
						if x, is := inner.(ast.Expr); is && of(x, "Sum") != nil {
							t.Errorf("%s: a digest goes into another as one word: Fold has both halves", files.Position(x.Pos()))
						}
						return true
					})
				}
			}
			return true
		})
		return nil
	}))
	require.Greater(t, found, 5)
}
