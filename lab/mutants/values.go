package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

func (s *site) typeOf(e ast.Expr) types.Type { return s.body.source.info.TypeOf(e) }

func isInteger(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// arithmetic: plus becomes minus, a difference of one is lost, counting goes the
// other way.
func arithmetic(s *site) {
	switch n := s.node.(type) {
	case *ast.BinaryExpr:
		if n.Op != token.ADD && n.Op != token.SUB || !isInteger(s.typeOf(n)) {
			return
		}
		if l, ok := n.Y.(*ast.BasicLit); ok && l.Value == "1" {
			s.change("off by one", s.replace(n, s.text(n.X)))
			return
		}
		other := token.ADD
		if n.Op == token.ADD {
			other = token.SUB
		}
		s.change("arithmetic", s.operatorOf(n, other))
	case *ast.IncDecStmt:
		other := "--"
		if n.Tok == token.DEC {
			other = "++"
		}
		at := s.offset(n.TokPos)
		s.change("arithmetic", edit{at, at + 2, other})
	case *ast.AssignStmt:
		at := s.offset(n.TokPos)
		switch {
		case n.Tok == token.ADD_ASSIGN && isInteger(s.typeOf(n.Lhs[0])):
			s.change("arithmetic", edit{at, at + 2, "-="})
		case n.Tok == token.SUB_ASSIGN:
			s.change("arithmetic", edit{at, at + 2, "+="})
		}
	}
}

// constants: a number is one more, a truth value is the other one.
func constants(s *site) {
	switch n := s.node.(type) {
	case *ast.BasicLit:
		if n.Kind == token.INT {
			s.change("constant", s.replace(n, "("+n.Value+" + 1)"))
		}
	case *ast.Ident:
		if _, ok := s.body.source.info.Uses[n].(*types.Const); !ok {
			return
		}
		switch n.Name {
		case "true":
			s.change("constant", s.replace(n, "false"))
		case "false":
			s.change("constant", s.replace(n, "true"))
		}
	}
}

// namedConstants: another constant of the same type, the next that is declared.
func namedConstants(s *site) {
	id, ok := s.node.(*ast.Ident)
	if !ok {
		return
	}
	c, ok := s.body.source.info.Uses[id].(*types.Const)
	if !ok || c.Pkg() == nil || c.Parent() != c.Pkg().Scope() {
		return
	}
	named, ok := c.Type().(*types.Named)
	if !ok || named.Obj().Pkg() != c.Pkg() {
		return
	}
	if next := nextConstant(c); next != nil {
		s.change("wrong constant", s.replace(id, next.Name()))
	}
}

// nextConstant is the constant of the same type that is declared behind one, and the
// first behind the last.
func nextConstant(c *types.Const) *types.Const {
	var first, next *types.Const
	for _, name := range c.Pkg().Scope().Names() {
		other, ok := c.Pkg().Scope().Lookup(name).(*types.Const)
		if !ok || other == c || other.Type() != c.Type() || constant.Compare(other.Val(), token.EQL, c.Val()) {
			continue
		}
		if c.Pos() < other.Pos() && (next == nil || other.Pos() < next.Pos()) {
			next = other
		}
		if first == nil || other.Pos() < first.Pos() {
			first = other
		}
	}
	if next == nil {
		return first
	}
	return next
}

// extremes: the least becomes the greatest.
func extremes(s *site) {
	c, ok := s.node.(*ast.CallExpr)
	if !ok || len(c.Args) < 2 {
		return
	}
	switch s.builtin(c) {
	case "min":
		s.change("extreme", s.replace(c.Fun, "max"))
	case "max":
		s.change("extreme", s.replace(c.Fun, "min"))
	}
}

// builtin is the name of the function of the language that is called, empty if it is
// another one.
func (s *site) builtin(c *ast.CallExpr) string {
	id, ok := c.Fun.(*ast.Ident)
	if !ok {
		return ""
	}
	if _, ok := s.body.source.info.Uses[id].(*types.Builtin); !ok {
		return ""
	}
	return id.Name
}

// fields: another field of the same type, the next that is declared.
func fields(s *site) {
	sel, ok := s.node.(*ast.SelectorExpr)
	if !ok {
		return
	}
	selection := s.body.source.info.Selections[sel]
	if selection == nil || selection.Kind() != types.FieldVal || len(selection.Index()) != 1 {
		return
	}
	t := selection.Recv()
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return
	}
	own := selection.Index()[0]
	for i := 1; i < st.NumFields(); i++ {
		f := st.Field((own + i) % st.NumFields())
		if types.Identical(f.Type(), st.Field(own).Type()) && (f.Exported() || f.Pkg() == s.body.source.types) {
			s.change("wrong field", s.replace(sel.Sel, f.Name()))
			return
		}
	}
}

// arguments: two neighbours of the same type change places.
func arguments(s *site) {
	c, ok := s.node.(*ast.CallExpr)
	if !ok || s.builtin(c) != "" {
		return
	}
	for i := 1; i < len(c.Args); i++ {
		a, b := c.Args[i-1], c.Args[i]
		ta, tb := s.typeOf(a), s.typeOf(b)
		if ta != nil && tb != nil && types.Identical(ta, tb) && s.text(a) != s.text(b) {
			s.change("arguments", s.replace(a, s.text(b)), s.replace(b, s.text(a)))
		}
	}
}
