package main

import (
	"go/ast"
	"go/token"
)

// boundary has the comparison that differs in the equal case, opposite the one that
// differs in all cases.
var (
	boundary = map[token.Token]token.Token{token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR}
	opposite = map[token.Token]token.Token{
		token.EQL: token.NEQ, token.NEQ: token.EQL, token.LSS: token.GEQ, token.GEQ: token.LSS, token.GTR: token.LEQ, token.LEQ: token.GTR,
	}
)

func (s *site) operatorOf(b *ast.BinaryExpr, t token.Token) edit {
	at := s.offset(b.OpPos)
	return edit{at, at + len(b.Op.String()), t.String()}
}

// comparisons: a boundary is off by one, or a comparison is turned round.
func comparisons(s *site) {
	b, ok := s.node.(*ast.BinaryExpr)
	if !ok {
		return
	}
	if t, ok := boundary[b.Op]; ok {
		s.change("boundary", s.operatorOf(b, t))
	}
	if t, ok := opposite[b.Op]; ok {
		s.change("negation", s.operatorOf(b, t))
	}
}

// connectives: and becomes or, or one of the operands is lost.
func connectives(s *site) {
	b, ok := s.node.(*ast.BinaryExpr)
	if !ok || b.Op != token.LAND && b.Op != token.LOR {
		return
	}
	other := token.LAND
	if b.Op == token.LAND {
		other = token.LOR
	}
	s.change("connective", s.operatorOf(b, other))
	s.change("lost condition", s.replace(b, s.text(b.X)))
	s.change("lost condition", s.replace(b, s.text(b.Y)))
}

// negations: a "not" is lost, or comes to a condition that is no comparison.
func negations(s *site) {
	if u, ok := s.node.(*ast.UnaryExpr); ok && u.Op == token.NOT {
		s.change("negation", s.replace(u, s.text(u.X)))
		return
	}
	i, ok := s.node.(*ast.IfStmt)
	if !ok {
		return
	}
	switch c := ast.Unparen(i.Cond).(type) {
	case *ast.CallExpr, *ast.Ident, *ast.SelectorExpr:
		s.mutate("negation", i.Pos(), i.Body.Lbrace, s.replace(c, "!"+s.text(c)))
	}
}

// guards: what stands under an if without else is never done.
func guards(s *site) {
	i, ok := s.node.(*ast.IfStmt)
	if ok && i.Else == nil && len(i.Body.List) > 0 {
		s.mutate("lost guard", i.Pos(), i.End(), s.replace(i.Cond, "false && ("+s.text(i.Cond)+")"))
	}
}

// branches: if and else change places.
func branches(s *site) {
	i, ok := s.node.(*ast.IfStmt)
	if !ok {
		return
	}
	if e, ok := i.Else.(*ast.BlockStmt); ok {
		s.mutate("branches", i.Pos(), i.End(), s.replace(i.Body, s.text(e)), s.replace(e, s.text(i.Body)))
	}
}
