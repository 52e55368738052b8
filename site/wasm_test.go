package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// TestEngineCompilesForTheBrowser checks types only: compiling Go's own library for it too would take a minute.
func TestEngineCompilesForTheBrowser(t *testing.T) {
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesSizes,
		Env:  append(os.Environ(), "GOOS=js", "GOARCH=wasm"),
	}, ".")
	require.NoError(t, err)
	packages.Visit(loaded, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			t.Error(e)
		}
	})
}
