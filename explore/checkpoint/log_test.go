package checkpoint_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/checkpoint"
)

func open(dir string, take func(checkpoint.Part) error) (*checkpoint.Log, error) {
	return checkpoint.Open(dir, []string{"a=1", "b=2"}, take)
}

func none(checkpoint.Part) error { return errors.New("there is nothing to take") }

// kept are the parts of a directory, as text.
func kept(t *testing.T, dir string) []string {
	var list []string
	l, err := open(dir, func(p checkpoint.Part) error {
		list = append(list, string(p.States)+"|"+string(p.Graph)+"|"+string(p.Now))
		return nil
	})
	require.NoError(t, err)
	l.Close()
	return list
}

// file is what a directory keeps.
func file(t *testing.T, dir string) []byte {
	text, err := os.ReadFile(filepath.Join(dir, "search"))
	require.NoError(t, err)
	return text
}

// Whatever the last write came to, the parts before it are there, and the next is added
// behind them.
func TestEachTornEndLeavesTheWholeParts(t *testing.T) {
	dir := t.TempDir()
	l, err := open(dir, none)
	require.NoError(t, err)
	require.NoError(t, l.Append(checkpoint.Part{States: []byte("one"), Now: []byte(`1`)}))
	before := len(file(t, dir))
	require.NoError(t, l.Append(checkpoint.Part{States: []byte("two"), Graph: []byte("g"), Now: []byte(`2`)}))
	var states [3]byte
	_, err = l.ReadAt(states[:], 3)
	require.NoError(t, err)
	require.Equal(t, "two", string(states[:]))
	l.Close()
	require.Equal(t, []string{"one||1", "two|g|2"}, kept(t, dir))

	all := file(t, dir)
	for end := range all {
		torn := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(torn, "search"), all[:end], 0o666))
		var want []string
		if end >= before {
			want = []string{"one||1"}
		}
		require.Equal(t, want, kept(t, torn), end)
		l, err := open(torn, func(checkpoint.Part) error { return nil })
		require.NoError(t, err)
		require.NoError(t, l.Append(checkpoint.Part{States: []byte("new"), Now: []byte(`3`)}))
		l.Close()
		require.Equal(t, append(want, "new||3"), kept(t, torn), end)
	}
}

// Where no search can have ended while it wrote its first part, nothing is overwritten.
func TestWithoutAFirstLineNothingIsLost(t *testing.T) {
	dir := t.TempDir()
	l, err := open(dir, none)
	require.NoError(t, err)
	l.Close()
	for _, text := range []string{string(file(t, dir)[:20]) + "16 bytes a state", "notes without an end of the line", "Alaska"} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "search"), []byte(text), 0o666))
		_, err := open(dir, none)
		require.ErrorContains(t, err, "give another directory", text)
		require.Equal(t, text, string(file(t, dir)))
	}
}

func TestDirectoryIsUsedOnce(t *testing.T) {
	dir := t.TempDir()
	l, err := open(dir, none)
	require.NoError(t, err)
	_, err = open(dir, none)
	require.ErrorContains(t, err, "is in use")
	l.Close()
	require.Empty(t, kept(t, dir))
}

func TestWhatCannotBeKeptIsSaid(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o666))
	_, err := open(file, none)
	require.ErrorContains(t, err, "cannot open "+file+", where the search is kept: not a directory")
}

// Opening a named pipe, or a device, would wait or keep nothing.
func TestWhatIsNoRegularFileIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(os.DevNull, filepath.Join(dir, "search")); err != nil {
		t.Skip(err)
	}
	_, err := open(dir, none)
	require.ErrorContains(t, err, "search is not a regular file: give another directory")
}
