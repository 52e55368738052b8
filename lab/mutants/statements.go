package main

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// list is the statements of a block or a case, nil for any other node.
func list(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	}
	return nil
}

// simple reports whether a statement does something by itself that can be done
// earlier or later.
func (s *site) simple(st ast.Stmt) bool {
	switch st := st.(type) {
	case *ast.ExprStmt:
		return !cannotMatter(s.body.source.info, st.X)
	case *ast.AssignStmt:
		return st.Tok != token.DEFINE
	case *ast.IncDecStmt:
		return true
	}
	return false
}

// order: two adjacent statements change places, unless it is plain that neither needs
// the other.
func order(s *site) {
	all := list(s.node)
	for i := 1; i < len(all); i++ {
		a, b := all[i-1], all[i]
		if s.simple(a) && s.simple(b) && !s.independent(a, b) {
			s.mutate("order", a.Pos(), b.End(), s.replace(a, s.text(b)), s.replace(b, s.text(a)))
		}
	}
}

// independent reports whether two statements assign different things without calling
// anything, and neither reads what the other assigns.
func (s *site) independent(a, b ast.Stmt) bool {
	calls := false
	for _, st := range []ast.Stmt{a, b} {
		ast.Inspect(st, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			calls = calls || ok && s.builtin(c) == ""
			return true
		})
	}
	return !calls && !s.reads(a, b) && !s.reads(b, a)
}

// reads reports whether a statement has in it what another one assigns.
func (s *site) reads(st, other ast.Stmt) bool {
	var assigned []ast.Expr
	switch o := other.(type) {
	case *ast.AssignStmt:
		assigned = o.Lhs
	case *ast.IncDecStmt:
		assigned = []ast.Expr{o.X}
	}
	return slices.ContainsFunc(assigned, func(l ast.Expr) bool { return strings.Contains(s.text(st), s.text(l)) })
}

// lostAssignments: what was computed is not kept.
func lostAssignments(s *site) {
	switch n := s.node.(type) {
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE || s.assignsNothing(n) {
			return
		}
		if n.Tok != token.ASSIGN || len(n.Lhs) != len(n.Rhs) {
			s.change("lost assignment", s.replace(n, ""))
			return
		}
		for i, l := range n.Lhs {
			if id, ok := l.(*ast.Ident); !ok || id.Name != "_" {
				s.change("lost assignment", s.replace(n.Lhs[i], "_"))
			}
		}
	case *ast.IncDecStmt:
		if f, ok := s.parent().(*ast.ForStmt); !ok || f.Post != n {
			s.change("lost assignment", s.replace(n, ""))
		}
	}
}

func (s *site) assignsNothing(n *ast.AssignStmt) bool {
	return !slices.ContainsFunc(n.Lhs, func(l ast.Expr) bool {
		id, ok := l.(*ast.Ident)
		return !ok || id.Name != "_"
	})
}

// wakeUps are the beginnings of names of methods after which something goes on that
// would wait.
var wakeUps = []string{"Enable", "Arm", "Send", "Call", "Release", "Close", "Broadcast", "wake", "Wake", "notify", "Notify", "signal"}

// droppedCalls: a call whose result is not needed does not take place.
func droppedCalls(s *site) {
	st, ok := s.node.(*ast.ExprStmt)
	if !ok {
		return
	}
	c, ok := st.X.(*ast.CallExpr)
	if !ok {
		return
	}
	name := ""
	switch f := c.Fun.(type) {
	case *ast.SelectorExpr:
		if name = f.Sel.Name; name == "Change" || name == "Read" || name == "Look" {
			// Of a variable of package state: it says that the step depends on it, and no more where the value is not
			// used.
			return
		}
	case *ast.Ident:
		name = f.Name
	}
	operator := "dropped call"
	if slices.ContainsFunc(wakeUps, func(w string) bool { return strings.HasPrefix(name, w) }) {
		operator = "dropped wake-up"
	}
	s.change(operator, s.replace(st, ""))
}

// earlyReturns: a function without results ends before one of its statements.
func earlyReturns(s *site) {
	if s.body.returns || slices.ContainsFunc(s.path, func(n ast.Node) bool { _, ok := n.(*ast.FuncLit); return ok }) {
		return
	}
	for i, st := range list(s.node) {
		if i > 0 && (s.simple(st) || isBranching(st)) {
			at := s.offset(st.Pos())
			s.mutate("early return", st.Pos(), st.End(), edit{at, at, "return; "})
		}
	}
}

func isBranching(st ast.Stmt) bool {
	switch st.(type) {
	case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt:
		return true
	}
	return false
}

// droppedCases: a case does nothing, which did something before.
func droppedCases(s *site) {
	c, ok := s.node.(*ast.CaseClause)
	if ok && !allChangeNothing(s.body.source.info, c.Body) {
		from, to := c.Body[0].Pos(), c.Body[len(c.Body)-1].End()
		s.mutate("dropped case", c.Pos(), c.End(), edit{s.offset(from), s.offset(to), ""})
	}
}

// loopEnds: a loop goes on instead of ending, or ends instead of going on.
func loopEnds(s *site) {
	b, ok := s.node.(*ast.BranchStmt)
	if !ok || b.Label != nil {
		return
	}
	word := map[token.Token]string{token.BREAK: "continue", token.CONTINUE: "break"}[b.Tok]
	if word != "" {
		at := s.offset(b.Pos())
		s.change("loop", edit{at, at + len(b.Tok.String()), word})
	}
}
