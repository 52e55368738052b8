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

// Whatever the last write came to, the parts before it are there, and the next is added
// behind them.
func TestEachTornEndLeavesTheWholeParts(t *testing.T) {
	dir := t.TempDir()
	l, err := open(dir, none)
	require.NoError(t, err)
	begun, err := os.ReadFile(filepath.Join(dir, "parts"))
	require.NoError(t, err)
	require.NoError(t, l.Append(checkpoint.Part{States: []byte("one"), Now: []byte(`1`)}))
	before, err := os.ReadFile(filepath.Join(dir, "parts"))
	require.NoError(t, err)
	require.NoError(t, l.Append(checkpoint.Part{States: []byte("two"), Graph: []byte("g"), Now: []byte(`2`)}))
	l.Close()
	require.Equal(t, []string{"one||1", "two|g|2"}, kept(t, dir))

	all := map[string][]byte{}
	for _, name := range []string{"parts", "states", "graph"} {
		all[name], err = os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
	}
	for end := range all["parts"] {
		torn := t.TempDir()
		for name, text := range all {
			switch {
			case name == "parts":
				text = text[:end]
			case end < len(begun):
				// States are written behind a whole first line only.
				text = nil
			}
			require.NoError(t, os.WriteFile(filepath.Join(torn, name), text, 0o666))
		}
		var want []string
		if end >= len(before) {
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

// Where no search can have ended while it wrote its first line, nothing is overwritten.
func TestWithoutAFirstLineNothingIsLost(t *testing.T) {
	dir := t.TempDir()
	l, err := open(dir, none)
	require.NoError(t, err)
	l.Close()
	begun, err := os.ReadFile(filepath.Join(dir, "parts"))
	require.NoError(t, err)

	for _, files := range []map[string]string{
		{"parts": "", "states": "16 bytes a state"},
		{"parts": "", "graph": "g"},
		{"parts": string(begun[:20]), "states": "16 bytes a state"},
		{"parts": "notes without an end of the line"},
		{"states": "Alaska"},
	} {
		dir := t.TempDir()
		for name, text := range files {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
		}
		_, err := open(dir, none)
		require.ErrorContains(t, err, "give another directory", files)
		for name, text := range files {
			there, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			require.Equal(t, text, string(there), name)
		}
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
