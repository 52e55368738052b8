package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// sources are packages with their types.
type sources struct {
	fset     *token.FileSet
	importer types.Importer
	packages []*source
}

// source is one package.
type source struct {
	all *sources
	// path is the import path, name the path below the module.
	path, name string
	files      []*file
	types      *types.Package
	info       *types.Info
}

// file is a Go file that is no test.
type file struct {
	// path is absolute.
	path string
	text []byte
	ast  *ast.File
}

// Name is the file's, without the folder.
func (f *file) Name() string { return filepath.Base(f.path) }

// offset is where in the file a position is.
func (s *sources) offset(p token.Pos) int { return s.fset.Position(p).Offset }

type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	DepOnly                 bool
	Module                  *struct{ Path string }
}

// load reads packages by their paths below the module, whose root is dir. What they
// import is compiled, not read. It returns an error if one does not compile.
func load(dir string, names []string) (*sources, error) {
	list, err := goList(dir, names)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for _, p := range list {
		exports[p.ImportPath] = p.Export
	}
	s := &sources{fset: token.NewFileSet()}
	s.importer = importer.ForCompiler(s.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range list {
		if p.DepOnly {
			continue
		}
		one, err := s.read(&p)
		if err != nil {
			return nil, err
		}
		s.packages = append(s.packages, one)
	}
	return s, nil
}

func goList(dir string, names []string) ([]listed, error) {
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,DepOnly,Module"}
	for _, n := range names {
		args = append(args, "./"+n)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.String())
	}
	var list []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
}

func (s *sources) read(p *listed) (*source, error) {
	one := &source{all: s, path: p.ImportPath, name: strings.TrimPrefix(p.ImportPath, p.Module.Path+"/")}
	for _, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		parsed, err := s.parse(path, text)
		if err != nil {
			return nil, err
		}
		one.files = append(one.files, &file{path, text, parsed})
	}
	var asts []*ast.File
	for _, f := range one.files {
		asts = append(asts, f.ast)
	}
	one.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	var err error
	one.types, err = (&types.Config{Importer: s.importer}).Check(p.ImportPath, s.fset, asts, one.info)
	return one, err
}

func (s *sources) parse(path string, text []byte) (*ast.File, error) {
	return parser.ParseFile(s.fset, path, text, parser.SkipObjectResolution)
}

// compiles reports whether the package compiles with another text of one of its
// files. An import that is not used any more is no obstacle: the body as it was
// written stands beside the mutant.
func (p *source) compiles(f *file, text []byte) bool {
	changed, err := p.all.parse(f.path, text)
	if err != nil {
		return false
	}
	var asts []*ast.File
	for _, other := range p.files {
		if other == f {
			asts = append(asts, changed)
		} else {
			asts = append(asts, other.ast)
		}
	}
	ok := true
	check := types.Config{Importer: p.all.importer, Error: func(err error) {
		if !strings.Contains(err.Error(), "imported and not used") {
			ok = false
		}
	}}
	// The error is the first of those that were passed to Error.
	_, _ = check.Check(p.path, p.all.fset, asts, nil)
	return ok
}
