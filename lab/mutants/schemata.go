package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// activeImport is what mutated sources import.
const activeImport = `import mutantsactive "github.com/watchbed/watchbed/internal/mutants"`

// WriteOverlay numbers the mutants, writes the sources with all of them into a
// folder, and returns the file for the flag -overlay of go build.
func WriteOverlay(folder string, all []*Mutant) (string, error) {
	number(all)
	byFile := map[*file][]*Mutant{}
	var files []*file
	for _, m := range all {
		if byFile[m.body.file] == nil {
			files = append(files, m.body.file)
		}
		byFile[m.body.file] = append(byFile[m.body.file], m)
	}
	replace := map[string]string{}
	for i, f := range files {
		path := filepath.Join(folder, fmt.Sprintf("%d_%s", i, f.Name()))
		if err := os.WriteFile(path, []byte(withMutants(f, byFile[f])), 0o644); err != nil {
			return "", err
		}
		replace[f.path] = path
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "overlay.json")
	return path, os.WriteFile(path, text, 0o644)
}

// number gives each mutant its number, and the same unit to those of one body.
func number(all []*Mutant) {
	units := map[*body]int{}
	for i, m := range all {
		if _, ok := units[m.body]; !ok {
			units[m.body] = len(units)
		}
		m.Number, m.Unit = i, units[m.body]
	}
}

// withMutants is a file in which each body begins with its mutants. Lines keep their
// numbers up to the first mutant.
func withMutants(f *file, mutants []*Mutant) string {
	byBody := map[*body][]*Mutant{}
	var bodies []*body
	for _, m := range mutants {
		if byBody[m.body] == nil {
			bodies = append(bodies, m.body)
		}
		byBody[m.body] = append(byBody[m.body], m)
	}
	slices.SortFunc(bodies, func(a, b *body) int { return cmp.Compare(a.block.Pos(), b.block.Pos()) })
	all := bodies[0].source.all
	name := all.offset(f.ast.Name.End())
	edits := []edit{{name, name, "; " + activeImport}}
	for _, b := range bodies {
		at := all.offset(b.block.Lbrace) + 1
		edits = append(edits, edit{at, at, dispatch(b, byBody[b])})
	}
	return apply(f.text, 0, len(f.text), edits)
}

// dispatch is what a body with mutants begins with.
func dispatch(b *body, mutants []*Mutant) string {
	var out strings.Builder
	fmt.Fprintf(&out, " if mutantsactive.In(%d) { switch mutantsactive.Number {\n", mutants[0].Unit)
	for _, m := range mutants {
		fmt.Fprintf(&out, "case %d:\n%s\n", m.Number, m.changed())
		if !b.returns {
			out.WriteString("return\n")
		}
	}
	out.WriteString("}}\n")
	return out.String()
}

// changed is the body with the change, without its braces. The enclosing statement
// says that it was reached, and labels have names of their own.
func (m *Mutant) changed() string {
	b := m.body
	all := b.source.all
	edits := []edit{{m.statement, m.statement, " mutantsactive.Touched = true; "}}
	edits = append(edits, m.edits...)
	edits = append(edits, m.relabel()...)
	return apply(b.file.text, all.offset(b.block.Lbrace)+1, all.offset(b.block.Rbrace), edits)
}

// relabel renames the labels of the body: a function has each label once.
func (m *Mutant) relabel() []edit {
	var edits []edit
	for _, id := range labels(m.body.block) {
		at := m.body.source.all.offset(id.End())
		edits = append(edits, edit{at, at, fmt.Sprintf("_%d", m.Number)})
	}
	return edits
}

// movesLabels reports whether one of the edits replaces text with a label in it,
// which relabel could not rename.
func (m *Mutant) movesLabels() bool {
	return slices.ContainsFunc(labels(m.body.block), func(id *ast.Ident) bool {
		at := m.body.source.all.offset(id.End())
		return slices.ContainsFunc(m.edits, func(e edit) bool { return e.from <= at && at <= e.to && e.from < e.to })
	})
}

func labels(block *ast.BlockStmt) []*ast.Ident {
	var all []*ast.Ident
	ast.Inspect(block, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.LabeledStmt:
			all = append(all, n.Label)
		case *ast.BranchStmt:
			if n.Label != nil {
				all = append(all, n.Label)
			}
		}
		return true
	})
	return all
}
