package main

import (
	"go/ast"
)

// body is what is mutated as a whole: that of a function or a method, or of a
// function literal in a declaration of package variables.
type body struct {
	source *source
	file   *file
	// name is "Type.Method", "Function", or the variable that a literal is for.
	name  string
	block *ast.BlockStmt
	// returns: the function has results.
	returns bool
	// named: it has results with names.
	named bool
}

// bodies are those of a package that are not left out, in the order of the source.
func (p *source) bodies() []*body {
	var all []*body
	for _, f := range p.files {
		if skipped(skippedFiles, f.Name()) {
			continue
		}
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Body != nil && !skipped(skippedFunctions, d.Name.Name) {
					all = append(all, p.body(f, nameOf(d), d.Type, d.Body))
				}
			case *ast.GenDecl:
				all = append(all, p.literals(f, d)...)
			}
		}
	}
	return all
}

func (p *source) body(f *file, name string, t *ast.FuncType, block *ast.BlockStmt) *body {
	b := &body{source: p, file: f, name: name, block: block, returns: t.Results != nil}
	b.named = b.returns && len(t.Results.List[0].Names) > 0
	return b
}

// literals are the outermost function literals of a declaration.
func (p *source) literals(f *file, d *ast.GenDecl) []*body {
	var all []*body
	for _, spec := range d.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		ast.Inspect(v, func(n ast.Node) bool {
			l, ok := n.(*ast.FuncLit)
			if ok {
				all = append(all, p.body(f, v.Names[0].Name, l.Type, l.Body))
			}
			return !ok
		})
	}
	return all
}

func nameOf(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "." + d.Name.Name
		default:
			return d.Name.Name
		}
	}
}
