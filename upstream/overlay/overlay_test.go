package overlay

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnotherReleaseOfGoIsRefused(t *testing.T) {
	require.NoError(t, Check("go"+GoRelease, "/usr/local/go"))
	require.EqualError(t, Check("go1.26.9", "/usr/local/go"), "guests are compiled by Go 1.26.8, whose runtime the overlay knows, and this is go1.26.9: install that release, put it first in PATH, and set GOTOOLCHAIN=local")
	require.EqualError(t, Check("go1.26.8", "/cache/mod/golang.org/toolchain@v0.0.1-go1.26.8.linux-amd64"),
		"go1.26.8 was downloaded into the module cache, where its runtime cannot be replaced: install Go 1.26.8 elsewhere, put it first in PATH, and set GOTOOLCHAIN=local")
}

// TestAPatchThatDoesNotApply: a text that is missing or there twice is no place to change.
func TestAPatchThatDoesNotApply(t *testing.T) {
	goroot := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(goroot, "src", "runtime"), 0o755))
	p := patch{"runtime/x.go", []change{{"func f()", "func g()"}}}
	for text, want := range map[string]string{"func f() {}": "func g() {}", "func h() {}": "", "func f(); func f()": ""} {
		require.NoError(t, os.WriteFile(filepath.Join(goroot, "src", "runtime", "x.go"), []byte(text), 0o644))
		got, err := p.apply(goroot)
		require.Equal(t, want, got)
		if want == "" {
			require.ErrorContains(t, err, "use Go 1.26.8")
		}
	}
}
