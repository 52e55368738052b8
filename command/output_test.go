package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// full is a disk without room.
type full struct{}

var errFull = errors.New("no space left on device")

func (full) Write([]byte) (int, error) { return 0, errFull }

// Every command says so if its output did not arrive, and a violation keeps its
// exit code.
func TestLostOutputIsReported(t *testing.T) {
	c := command(t)
	file := c.recorded()
	history := filepath.Join(c.dir, "history.jsonl")
	require.NoError(t, os.WriteFile(history, []byte(goodHistory), 0o600))
	for _, test := range []struct {
		args []string
		code int
	}{
		{[]string{"--help"}, exitUsage},
		{[]string{"list"}, exitUsage},
		{[]string{"check", history}, exitUsage},
		{[]string{"run", "issue-15220", "--seeds", "300"}, exitViolated},
		{[]string{"shrink", file}, exitUsage},
	} {
		var err strings.Builder
		code := run(context.Background(), test.args, process{program: "simrun", in: strings.NewReader(""), out: full{}, err: &err})
		require.Equal(t, test.code, code, "%v: %s", test.args, err.String())
		require.Equal(t, 1, strings.Count(err.String(), errFull.Error()), "%v: %s", test.args, err.String())
	}
}

func TestOutputFileFollowsLinksAndKeepsDevices(t *testing.T) {
	t.Chdir(t.TempDir())
	hello := func(w *os.File) error { _, err := w.WriteString("hello"); return err }
	for _, target := range []string{"old", "new"} {
		if target == "old" {
			require.NoError(t, os.WriteFile(target, []byte("before"), 0o600))
		}
		require.NoError(t, os.Symlink(target, target+".link"))
		require.NoError(t, writeFile(target+".link", hello))
		content, err := os.ReadFile(target)
		require.NoError(t, err)
		require.Equal(t, "hello", string(content))
		info, err := os.Lstat(target + ".link")
		require.NoError(t, err)
		require.NotZero(t, info.Mode()&os.ModeSymlink)
	}

	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	require.NoError(t, writeFile(fmt.Sprintf("/dev/fd/%d", w.Fd()), hello))
	got := make([]byte, 5)
	_, err = r.Read(got)
	require.NoError(t, err)
	require.Equal(t, "hello", string(got))
}

// What was there stays whole if the new contents cannot be written, and no other
// file is left behind.
func TestOutputFileIsWholeOrTheOldOne(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("page", []byte("before"), 0o600))
	err := writeFile("page", func(*os.File) error { return errFull })
	require.ErrorContains(t, err, "cannot write page: no space left")
	content, err := os.ReadFile("page")
	require.NoError(t, err)
	require.Equal(t, "before", string(content))
	files, err := os.ReadDir(".")
	require.NoError(t, err)
	require.Len(t, files, 1)
	require.ErrorContains(t, writeFile(".", nil), "it is a directory")
	require.ErrorContains(t, writeFile("missing/page", nil), "cannot write missing/page: no such file")
}
