package node

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/upstream/guests"
)

// TestOlderGuestsAreNotKept: what was made of a guest stays as long as the guest does, and goes when the guest is
// compiled again; that of another guest stays.
func TestOlderGuestsAreNotKept(t *testing.T) {
	directory, now := t.TempDir(), time.Now()
	const name, other = "kubernetes@v1+fix", "kubernetes@v1"
	for i, name := range []string{name, other} {
		require.NoError(t, os.WriteFile(guests.Path(directory, name), []byte("a guest"), 0o644))
		require.NoError(t, os.Chtimes(guests.Path(directory, name), now, now.Add(time.Duration(i)*time.Second)))
	}
	made := map[string]string{}
	for _, name := range []string{name, other} {
		folder, err := compiled(directory, name)
		require.NoError(t, err)
		made[name] = filepath.Join(folder, "code")
		require.NoError(t, os.WriteFile(made[name], nil, 0o644))
	}
	for _, name := range []string{name, other} {
		_, err := compiled(directory, name)
		require.NoError(t, err)
		require.FileExists(t, made[name])
	}
	require.NoError(t, os.Chtimes(guests.Path(directory, name), now, now.Add(time.Minute)))
	_, err := compiled(directory, name)
	require.NoError(t, err)
	require.NoFileExists(t, made[name])
	require.FileExists(t, made[other])
}
