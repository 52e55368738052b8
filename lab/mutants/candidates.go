package main

import (
	"go/ast"
	"slices"
)

// operators are the ways to change code, by what they look at.
var operators = []func(*site){
	comparisons, connectives, negations, guards, branches,
	arithmetic, constants, namedConstants, extremes, fields, arguments,
	order, lostAssignments, droppedCalls, earlyReturns, droppedCases, loopEnds,
}

// candidates are all mutants of a body, whether they compile or not.
func (b *body) candidates() []*Mutant {
	var out []*Mutant
	var path []ast.Node
	ast.Inspect(b.block, func(n ast.Node) bool {
		if n == nil {
			path = path[:len(path)-1]
			return true
		}
		if cannotMatter(b.source.info, n) {
			return false
		}
		if e, ok := n.(*ast.ExprStmt); ok && cannotMatter(b.source.info, e.X) {
			return false
		}
		s := &site{body: b, path: slices.Clone(path), node: n, out: &out}
		for _, operator := range operators {
			operator(s)
		}
		path = append(path, n)
		return true
	})
	return out
}
