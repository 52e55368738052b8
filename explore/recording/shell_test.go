package recording

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestShellTakesPathsWhole: what is printed comes out of a shell as it went in.
func TestShellTakesPathsWhole(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	for _, path := range []string{"simrun-failures/a-1.json", "a dir/it's.json", "$(exit 3) `exit 4` \"x\" \\ ; & *.json", "two\nlines"} {
		out, err := exec.Command(sh, "-c", "printf %s "+ShellWord(path)).Output()
		require.NoError(t, err, path)
		require.Equal(t, path, string(out))
	}
	for path, want := range map[string]string{"-x/a.json": "replay\n./-x/a.json", "a dir/b.json": "replay\na dir/b.json"} {
		out, err := exec.Command(sh, "-c", "simrun() { printf '%s\\n%s' \"$@\"; }; "+Again("simrun", path)).Output()
		require.NoError(t, err)
		require.Equal(t, want, string(out))
	}
	require.Equal(t, "simrun-failures/a-1.json", ShellWord("simrun-failures/a-1.json"), "what needs no quotes gets none")
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	for _, path := range []string{"a\u202eb/ä it's \\n.json", "\u20662a\u2069"} {
		out, err := exec.Command(bash, "-c", "printf %s "+ShellWord(path)).Output()
		require.NoError(t, err, path)
		require.Equal(t, path, string(out))
		require.Regexp(t, "^[ -~]+$", ShellWord(path), "ASCII, which report.Spelt leaves as it is")
	}
}
