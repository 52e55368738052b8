package overlay

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheReleaseOfGoThatCompiles: it is the oldest one that is new enough, and what wants a newer one than the overlay
// knows is refused.
func TestTheReleaseOfGoThatCompiles(t *testing.T) {
	for wanted, want := range map[string]string{"1.17": "1.26.8", "1.26.0": "1.26.8", "1.26.8": "1.26.8", "1.26.9": "1.27.4", "1.27.0": "1.27.4", "1.27rc1": "1.27.4"} {
		got, err := For(wanted)
		require.NoError(t, err)
		require.Equal(t, want, got.Version, wanted)
	}
	_, err := For("1.28.0")
	require.EqualError(t, err, "it wants Go 1.28.0, and the overlay knows the runtimes of Go 1.26.8 and 1.27.4 alone")
	require.True(t, Replaceable("/usr/local/go"))
	require.False(t, Replaceable("/cache/mod/golang.org/toolchain@v0.0.1-go1.26.8.linux-amd64"))
}

// TestAPatchThatDoesNotApply: a text that is missing or there twice is no place to change.
func TestAPatchThatDoesNotApply(t *testing.T) {
	goroot := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(goroot, "src", "runtime"), 0o755))
	p := patch{"runtime/x.go", []change{{"func f()", "func g()"}}}
	for text, want := range map[string]string{"func f() {}": "func g() {}", "func h() {}": "", "func f(); func f()": ""} {
		require.NoError(t, os.WriteFile(filepath.Join(goroot, "src", "runtime", "x.go"), []byte(text), 0o644))
		got, err := p.apply(&releases[0], goroot)
		require.Equal(t, want, got)
		if want == "" {
			require.ErrorContains(t, err, "Go 1.26.8 has it once: install that release anew")
		}
	}
}
