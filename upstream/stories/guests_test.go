package stories

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/sim/option"
)

// TestAnotherGuestIsRefused: a run is not carried out again with a guest that was compiled otherwise. A recording without a digest is.
func TestAnotherGuestIsRefused(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("WATCHBED_GUESTS", folder)
	path := filepath.Join(folder, "cluster@v1.wasm")
	require.NoError(t, os.WriteFile(path, []byte("one"), 0o666))
	config := option.Setting{Name: "config", Value: "{}"}
	rec := &recording.Recording{Parameters: append([]option.Setting{config}, Digests("cluster@v1", "cluster@v1")...)}
	require.Len(t, rec.Parameters, 2)
	rest, err := Parameters(rec)
	require.NoError(t, err)
	require.Equal(t, []option.Setting{config}, rest)

	require.NoError(t, os.WriteFile(path, []byte("other"), 0o666))
	_, err = Parameters(rec)
	require.EqualError(t, err, path+" is another guest than the one of the recorded run: its digest is d9298a10d1b07358, and 7692c3ad3540bb80 was recorded")
	rest, err = Parameters(&recording.Recording{Parameters: []option.Setting{config}})
	require.NoError(t, err)
	require.Equal(t, []option.Setting{config}, rest)
}
