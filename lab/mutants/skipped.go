package main

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// A skip is code that is not mutated: no scenario could notice.
type skip struct {
	names  []string
	reason string
}

// skippedFiles are left out whole, by their names.
var skippedFiles = []skip{
	{[]string{"notes.go", "explain.go", "visualize.go"}, "text for people, which the golden stories hold"},
	{[]string{"cells.go"}, "what a step depends on, for stories; the tests that swap steps hold it"},
	{[]string{"clone.go"}, "copies for the tests that swap steps"},
	{[]string{"polling.go"}, "the slow way to record, to which a test holds the fast one"},
	{[]string{"metrics.go", "read_cost.go", "amounts.go", "oomwarning.go"}, "what a run costs: measured, not judged"},
	{[]string{"recorded.go", "recordedlog.go", "settle.go", "fates.go", "reason.go"}, "judging of recordings, which no run does: tests hold it"},
}

// skippedFunctions are left out whole, by their names or the beginnings of them,
// which end with an asterisk.
var skippedFunctions = []skip{
	{[]string{"String", "Error", "Text", "text", "label", "name", "Concern", "Words", "TimerName", "TaskName", "nearest", "Show", "InTheWay"}, "text for people"},
	declarations,
	{[]string{"Cells", "cells", "Missing"}, "what a step depends on, for stories"},
	{[]string{"Clone*", "clone*", "Fingerprint", "fingerprint*", "Digest", "digest"}, "copies and comparisons of worlds, for tests"},
	{[]string{"measure*"}, "what a run costs: measured, not judged"},
	{[]string{"FixedIn", "Since"}, "lists of releases, for people"},
	{[]string{"init"}, "registration"},
}

// declarations are methods that only call those of sim.Env which say what a step depends on.
var declarations = skip{[]string{"reads*", "looksAt*", "writes*", "takesItem"}, "what a step depends on, for stories"}

// declaring are those of state that declares its own use.
var declaring = skip{[]string{"Read", "Look", "Change", "Get", "ReadItem", "ChangeItem"}, "what a step depends on, for stories"}

// skippedCalls are methods of sim.Env that change nothing in a run.
var skippedCalls = []skip{
	{[]string{"Read", "Write", "ReadItem", "WriteItem", "LookAt", "TouchAll", "Recording", "Under", "Begin"}, "what a step depends on, for stories"},
	{[]string{"Note", "Noting"}, "text for people"},
	{[]string{"Cover"}, "counts coverage points"},
	{[]string{"Record", "Add"}, "what a run costs: measured, not judged"},
}

func (s *skip) holds(name string) bool {
	for _, n := range s.names {
		start, any := strings.CutSuffix(n, "*")
		if n == name || any && strings.HasPrefix(name, start) {
			return true
		}
	}
	return false
}

func skipped(list []skip, name string) bool {
	for i := range list {
		if list[i].holds(name) {
			return true
		}
	}
	return false
}

// cannotMatter reports whether a part of a function is left out: a call that changes
// nothing in a run, what is done only for such a call, the number of a cell, or what
// makes text.
func cannotMatter(info *types.Info, n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		return changesNothing(info, n)
	case *ast.KeyValueExpr:
		k, ok := n.Key.(*ast.Ident)
		return ok && k.Name == "cell"
	case *ast.IfStmt:
		c, ok := n.Cond.(*ast.CallExpr)
		return ok && changesNothing(info, c) || n.Else == nil && allChangeNothing(info, n.Body.List)
	}
	return false
}

// allChangeNothing reports whether statements are nothing but such calls, and what is done only for them.
func allChangeNothing(info *types.Info, list []ast.Stmt) bool {
	return !slices.ContainsFunc(list, func(st ast.Stmt) bool {
		if e, ok := st.(*ast.ExprStmt); ok {
			return !cannotMatter(info, e.X)
		}
		return !cannotMatter(info, st)
	})
}

func changesNothing(info *types.Info, c *ast.CallExpr) bool {
	switch f := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		return f.Name == "panic" || f.Name == "make" || strings.HasPrefix(f.Name, "measure")
	case *ast.SelectorExpr:
		if p, ok := f.X.(*ast.Ident); ok {
			if name, ok := info.Uses[p].(*types.PkgName); ok {
				return name.Imported().Path() == "fmt"
			}
		}
		if strings.HasPrefix(f.Sel.Name, "measure") {
			return true
		}
		s := info.Selections[f]
		if s == nil {
			return false
		}
		of := typeName(s.Recv())
		if p := s.Obj().Type().(*types.Signature).Params(); p.Len() > 0 && typeName(p.At(0).Type()) == "Env" &&
			(declarations.holds(f.Sel.Name) || strings.HasSuffix(s.Obj().Pkg().Path(), "/sim/state") && declaring.holds(f.Sel.Name)) {
			return true
		}
		return of == "Env" && skipped(skippedCalls, f.Sel.Name) || strings.HasPrefix(of, "Note") && f.Sel.Name == "Say"
	}
	return false
}

// typeName is the name of a type or of what a pointer points to, without its package.
func typeName(t types.Type) string {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}
