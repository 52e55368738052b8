package sim_test

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/watchbed/watchbed"

// harmless are the packages that simulated code may import besides those of
// this module: none of them starts a goroutine, reads a clock, draws random
// numbers or does input and output; more is said in partly.
var harmless = map[string]bool{
	"bytes": true, "cmp": true, "errors": true, "fmt": true, "iter": true, "math": true, "math/bits": true,
	"encoding/base64": true, "encoding/binary": true, "hash/fnv": true, "path": true,
	"slices": true, "sort": true, "strconv": true, "strings": true, "time": true, "runtime": true, "unicode/utf8": true,
	// It caches what it has learned of a type, and orders the fields of a struct
	// by their position.
	"encoding/json": true,
	// The mutex in its free list is of no consequence to a single goroutine.
	"github.com/google/btree": true,
}

// partly are the packages of which simulated code may use these functions besides
// types, constants and methods. All others of time know a clock or a time zone, all
// others of runtime the machine. The names of the functions that were under way when
// simulated code panicked depend on its choices only.
var partly = map[string]map[string]bool{
	"time":    {"ParseDuration": true},
	"runtime": {"Callers": true, "CallersFrames": true},
}

// deterministic are the packages that a run consists of: what is simulated, what
// chooses, and what judges.
var deterministic = []string{
	module + "/sim/...", module + "/model/...", module + "/workload/...",
	module + "/explore", module + "/explore/strategy",
	module + "/testbed/...", module + "/properties/...",
}

// outside are left out with the packages in their folders. Judges import the first: it reads
// files, and hands histories to porcupine, which has goroutines. Its budget is a number of
// steps, so its verdicts do not depend on them. It takes keys out of maps to sort them.
//
// The second searches all schedules, and no run calls it: package testbed imports its interface Subject, and implements
// it. The tests of explore/prove hold its result to be the same on any number of workers. The third has the states of
// that search, the fourth keeps it on disk. The fifth numbers what its workers share, and no run numbers anything. The
// sixth compares and weighs for it, and compares the plans of clients when a subject of a search is made.
//
// Every node imports the last two: they find the fields of a type by reflection, in their order.
var outside = []string{
	module + "/linearizability", module + "/explore/prove", module + "/explore/checkpoint",
	module + "/internal/intern", module + "/explore/values",
	module + "/sim/state", module + "/sim/option",
}

// TestRunsDependOnChoicesOnly reads the source for everything that would make a
// run depend on anything but its choices.
func TestRunsDependOnChoicesOnly(t *testing.T) {
	l := load(t, deterministic...)
	require.NotEmpty(t, l.simulated)
	for _, p := range l.simulated {
		if slices.ContainsFunc(outside, func(o string) bool { return p.path == o || strings.HasPrefix(p.path, o+"/") }) {
			continue
		}
		for _, found := range l.check(t, p.path, p.files...) {
			t.Error(found)
		}
	}
}

// TestEachRuleFires plants what each rule is about.
func TestEachRuleFires(t *testing.T) {
	l := load(t, module+"/sim", "time", "fmt", "os", "net", "sync", "sync/atomic", "math/rand", "math/rand/v2",
		"crypto/rand", "hash/maphash", "unsafe", "maps", "runtime", "context", "reflect")
	for _, c := range []struct{ want, source string }{
		{"", `import "time"; const second = 2 * time.Second; func f(d time.Duration) string { return d.String() }`},
		{"", `import "time"; func f() (time.Duration, error) { return time.ParseDuration("1s") }`},
		{"", `import "fmt"; func f(n int, s []string, e error) string { return fmt.Sprintf("100%% %d %v %v", n, s, e) }`},
		{"", `func f(m map[int]int) int { delete(m, 1); m[2]++; clear(m); return len(m) + m[3] }`},
		{"", `func f(s []int, a [3]int, t string) { for range s {}; for range a {}; for range t {}; for range 3 {} }`},
		{"go statement", `func f() { go f() }`},
		{"channel type", `var c chan int`},
		{"channel type", `func f(c <-chan int) {}`},
		{"channel type", `type c = chan<- struct{}`},
		{"send on a channel", `func f(c chan int) { c <- 1 }`},
		{"receive from a channel", `func f(c chan int) { <-c }`},
		{"range over a channel", `func f(c chan int) { for range c {} }`},
		{"select statement", `func f() { select {} }`},
		{"range over a map", `func f(m map[int]int) { for range m {} }`},
		{"range over a map", `type set map[string]bool; func f(m set) { for k := range m { _ = k } }`},
		{"range over a map", `type node struct { set map[string]bool }; func f(n *node) { for k := range n.set { _ = k } }`},
		{"range over a map", `func f[M ~map[int]int](m M) { for range m {} }`},
		{"imports sync", `import _ "sync"`},
		{"imports sync/atomic", `import _ "sync/atomic"`},
		{"imports math/rand", `import _ "math/rand"`},
		{"imports math/rand/v2", `import _ "math/rand/v2"`},
		{"imports crypto/rand", `import _ "crypto/rand"`},
		{"imports hash/maphash", `import _ "hash/maphash"`},
		{"imports os", `import _ "os"`},
		{"imports net", `import _ "net"`},
		{"imports unsafe", `import "unsafe"; var size = unsafe.Sizeof(1)`},
		{"imports maps", `import _ "maps"`},
		{"runtime.NumGoroutine", `import "runtime"; var n = runtime.NumGoroutine()`},
		{"runtime.Stack", `import "runtime"; func f() { runtime.Stack(nil, true) }`},
		{"imports context", `import _ "context"`},
		{"imports reflect", `import _ "reflect"`},
		{"time.Now", `import "time"; var now = time.Now()`},
		{"time.Now", `import clock "time"; var now = clock.Now`},
		{"time.Since", `import "time"; func f(t time.Time) time.Duration { return time.Since(t) }`},
		{"time.After", `import "time"; func f() { time.After(1) }`},
		{"time.Sleep", `import "time"; func f() { time.Sleep(1) }`},
		{"time.NewTimer", `import "time"; func f() { time.NewTimer(1) }`},
		{"time.NewTicker", `import "time"; func f() { time.NewTicker(1) }`},
		{"time.Tick", `import "time"; func f() { time.Tick(1) }`},
		{"time.AfterFunc", `import "time"; func f() { time.AfterFunc(1, f) }`},
		{"time.Local", `import "time"; var zone = time.Local`},
		{"formats an address", `import "fmt"; func f(n *int) string { return fmt.Sprintf("%p", n) }`},
		{"formats an address", `import "fmt"; const verb = "%" + "p"; func f(n []int) string { return fmt.Sprintf(verb, n) }`},
		{"formats an address", `import "fmt"; func f(n *int) string { return fmt.Sprint(n) }`},
		{"formats an address", `import "fmt"; type t struct { next *t }; func f(x t) string { return fmt.Sprint(x) }`},
		{"", `import "fmt"; type n struct{}; func (*n) String() string { return "" }; type t struct { N *n }; func f(x t) string { return fmt.Sprint(x) }`},
		{"formats an address", `import "fmt"; type n struct{}; func (*n) String() string { return "" }; type t struct { n *n }; func f(x t) string { return fmt.Sprint(x) }`},
		{"formats an address", `import "fmt"; func f(x []*int) error { return fmt.Errorf("%v", x) }`},
		{"formats an address", `import "fmt"; func f() string { return fmt.Sprint(f) }`},
		{"println", `func f() { println(1) }`},
	} {
		file, err := parser.ParseFile(l.fset, "planted.go", "package planted; "+c.source, 0)
		require.NoError(t, err, c.source)
		found := l.check(t, "planted", file)
		if c.want == "" {
			require.Empty(t, found, c.source)
			continue
		}
		require.NotEmpty(t, found, c.source)
		require.Contains(t, strings.Join(found, "\n"), c.want, c.source)
		require.Contains(t, found[0], "planted.go:1", "it says where")
	}
}

// loader type-checks packages from source; what they import comes from the
// build cache.
type loader struct {
	fset      *token.FileSet
	importer  types.Importer
	simulated []parsed
}

type parsed struct {
	path  string
	files []*ast.File
}

func load(t *testing.T, patterns ...string) *loader {
	t.Helper()
	const format = "{{.ImportPath}}\t{{.Export}}\t{{.Dir}}\t{{join .GoFiles \" \"}}"
	out, err := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", format}, patterns...)...).Output()
	require.NoError(t, err, "go list: %v", err)
	l := &loader{fset: token.NewFileSet()}
	exports := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		f := strings.Split(line, "\t")
		path, export, dir, files := f[0], f[1], f[2], strings.Fields(f[3])
		exports[path] = export
		if !strings.HasPrefix(path, module+"/") {
			continue
		}
		p := parsed{path: path}
		// go test keeps a result until something changes that the test itself has
		// read, so it must look for new files.
		_, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, name := range files {
			file, err := parser.ParseFile(l.fset, filepath.Join(dir, name), nil, 0)
			require.NoError(t, err)
			p.files = append(p.files, file)
		}
		l.simulated = append(l.simulated, p)
	}
	l.importer = importer.ForCompiler(l.fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	return l
}

// check returns what is wrong with a package, each with its place.
func (l *loader) check(t *testing.T, path string, files ...*ast.File) []string {
	t.Helper()
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: l.importer}
	_, err := config.Check(path, l.fset, files, info)
	require.NoError(t, err)
	r := &rules{info: info}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if what := r.broken(n); what != "" {
				r.found = append(r.found, fmt.Sprintf("%s: %s", l.fset.Position(n.Pos()), what))
			}
			return true
		})
	}
	return r.found
}

type rules struct {
	info  *types.Info
	found []string
}

// broken says which rule the node breaks.
func (r *rules) broken(n ast.Node) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "go statement"
	case *ast.SelectStmt:
		return "select statement"
	case *ast.SendStmt:
		return "send on a channel"
	case *ast.ChanType:
		return "channel type"
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			return "receive from a channel"
		}
	case *ast.RangeStmt:
		switch core(r.info.TypeOf(n.X)).(type) {
		case *types.Map:
			return "range over a map"
		case *types.Chan:
			return "range over a channel"
		}
	case *ast.ImportSpec:
		path := strings.Trim(n.Path.Value, `"`)
		if !harmless[path] && !strings.HasPrefix(path, module+"/") {
			return "imports " + path + ", which is not among the harmless packages"
		}
	case *ast.Ident:
		return r.use(n)
	case *ast.CallExpr:
		if r.formatsAddress(n) {
			return "formats an address"
		}
	}
	return ""
}

func (r *rules) use(n *ast.Ident) string {
	switch o := r.info.Uses[n].(type) {
	case *types.Builtin:
		if o.Name() == "print" || o.Name() == "println" {
			return o.Name()
		}
	case *types.Func, *types.Var:
		if o.Pkg() == nil || o.Parent() != o.Pkg().Scope() {
			return ""
		}
		if may, ok := partly[o.Pkg().Path()]; ok && !may[o.Name()] {
			return o.Pkg().Path() + "." + o.Name()
		}
	}
	return ""
}

// formatsAddress finds calls of fmt that print where something is in memory.
func (r *rules) formatsAddress(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := r.info.Uses[sel.Sel].(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "fmt" {
		return false
	}
	for _, arg := range call.Args {
		tv := r.info.Types[arg]
		if tv.Value != nil && tv.Value.Kind() == constant.String {
			if strings.Contains(strings.ReplaceAll(constant.StringVal(tv.Value), "%%", ""), "%p") {
				return true
			}
			continue
		}
		if printsAddress(tv.Type, true, 0) {
			return true
		}
	}
	return false
}

// printsAddress reports whether %v prints an address somewhere in a value of
// the type. What has a String or an Error method prints itself, but not where
// fmt cannot call it, in a field that is not exported. What is in an interface
// is unknown here.
func printsAddress(t types.Type, exported bool, depth int) bool {
	if t == nil || depth > 4 || exported && printsItself(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Signature, *types.Chan:
		return true
	case *types.Slice:
		return printsAddress(u.Elem(), exported, depth+1)
	case *types.Array:
		return printsAddress(u.Elem(), exported, depth+1)
	case *types.Map:
		return printsAddress(u.Key(), exported, depth+1) || printsAddress(u.Elem(), exported, depth+1)
	case *types.Struct:
		for field := range u.Fields() {
			if printsAddress(field.Type(), exported && field.Exported(), depth+1) {
				return true
			}
		}
	}
	return false
}

func printsItself(t types.Type) bool {
	methods := types.NewMethodSet(t)
	return methods.Lookup(nil, "String") != nil || methods.Lookup(nil, "Error") != nil
}

// core is the underlying type, of a type parameter that of its constraint.
func core(t types.Type) types.Type {
	p, ok := t.(*types.TypeParam)
	if !ok {
		return t.Underlying()
	}
	for embedded := range p.Constraint().Underlying().(*types.Interface).EmbeddedTypes() {
		if union, ok := embedded.(*types.Union); ok {
			return union.Term(0).Type().Underlying()
		}
		return embedded.Underlying()
	}
	return t
}
