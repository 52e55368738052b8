package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// Mutant is one small change of one function.
type Mutant struct {
	// Package is the path below the module; File and Line say where the change is now.
	Package  string
	File     string
	Line     int
	Function string
	Operator string
	// Before and After are the statement or condition without and with the change, in
	// one line. Together with what stands above they name the mutant, and Again counts
	// those that would have the same name: so it keeps its name when other code
	// changes.
	Before, After string
	Again         int

	body  *body
	edits []edit
	// statement is where the enclosing statement of a list begins, an offset in the
	// file.
	statement int
	// Number and Unit are set by the schemata: that of the mutant and of its function.
	Number, Unit int
}

// edit replaces a part of a file, by offsets.
type edit struct {
	from, to int
	text     string
}

// ID is a short name, made from the long one.
func (m *Mutant) ID() string {
	long := fmt.Sprintf("%s|%s|%s|%s|%s|%d", m.Package, m.Function, m.Operator, m.Before, m.After, m.Again)
	sum := sha256.Sum256([]byte(long))
	return hex.EncodeToString(sum[:5])
}

// apply gives the text from one offset to another with the edits in it.
func apply(text []byte, from, to int, edits []edit) string {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	var out strings.Builder
	at := from
	for _, e := range edits {
		out.Write(text[at:e.from])
		out.WriteString(e.text)
		at = e.to
	}
	out.Write(text[at:to])
	return out.String()
}

// site is where an operator looks: a node of a body with all that stand around it.
type site struct {
	body *body
	// path are the nodes from the body to the parent of node.
	path []ast.Node
	node ast.Node
	out  *[]*Mutant
}

func (s *site) parent() ast.Node { return s.path[len(s.path)-1] }

func (s *site) offset(p token.Pos) int { return s.body.source.all.offset(p) }

// text is the source of a node.
func (s *site) text(n ast.Node) string {
	return string(s.body.file.text[s.offset(n.Pos()):s.offset(n.End())])
}

func (s *site) replace(n ast.Node, text string) edit {
	return edit{s.offset(n.Pos()), s.offset(n.End()), text}
}

// mutate adds a mutant; shown is the part of the source that names it.
func (s *site) mutate(operator string, from, to token.Pos, edits ...edit) {
	f := s.body.file
	a, b := s.offset(from), s.offset(to)
	m := &Mutant{
		Package: s.body.source.name, File: f.Name(), Line: s.body.source.all.fset.Position(from).Line,
		Function: s.body.name, Operator: operator, body: s.body, edits: edits,
		Before: line(string(f.text[a:b])), After: line(apply(f.text, a, b, edits)),
		statement: s.statement(from),
	}
	*s.out = append(*s.out, m)
}

// change is mutate with the smallest statement or condition around the node.
func (s *site) change(operator string, edits ...edit) {
	n := s.shown()
	s.mutate(operator, n.Pos(), n.End(), edits...)
}

// shown is the smallest part around the node that says something by itself.
func (s *site) shown() ast.Node {
	n := s.node
	for i := len(s.path) - 1; i >= 0; i-- {
		switch p := s.path[i].(type) {
		case *ast.BlockStmt, *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.CaseClause:
			return n
		case *ast.CompositeLit:
			if len(s.text(p)) > 100 {
				return n
			}
		}
		n = s.path[i]
	}
	return n
}

// statement is where the innermost statement of a list begins that has a position in
// it. Where the whole node is a case, it is the first of the case.
func (s *site) statement(from token.Pos) int {
	if of := list(s.node); len(of) > 0 {
		return s.offset(max(from, of[0].Pos()))
	}
	path := append(slices.Clone(s.path), s.node)
	for i := len(path) - 1; i > 0; i-- {
		st, ok := path[i].(ast.Stmt)
		if !ok {
			continue
		}
		switch p := path[i-1].(type) {
		case *ast.BlockStmt:
			if _, ok := st.(*ast.CaseClause); !ok {
				return s.offset(st.Pos())
			}
		case *ast.CaseClause:
			if st.Pos() > p.Colon {
				return s.offset(st.Pos())
			}
		}
	}
	return s.offset(s.body.block.Lbrace) + 1
}

// longestLine is what fits into a table.
const longestLine = 160

func line(text string) string {
	var kept []string
	for _, l := range strings.Split(text, "\n") {
		l, _, _ = strings.Cut(l, "// ")
		kept = append(kept, strings.Fields(l)...)
	}
	text = strings.Join(kept, " ")
	if len(text) > longestLine {
		text = text[:longestLine] + " ..."
	}
	return text
}
