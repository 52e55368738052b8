package stories

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/sim/option"
)

// TestAnotherGuestIsRefused: a run is not carried out again with a guest that was compiled otherwise. A recording
// without a digest is.
func TestAnotherGuestIsRefused(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("WATCHBED_GUESTS", folder)
	path := filepath.Join(folder, "cluster@v1.wasm")
	require.NoError(t, os.WriteFile(path, []byte("one"), 0o666))
	rec := &recording.Recording{Scenario: "cluster@v1", Parameters: Parameters(map[string]int{"clients": 2}, "cluster@v1", "cluster@v1")}
	require.Len(t, rec.Parameters, 2)
	text, err := Configuration(rec, "a cluster")
	require.NoError(t, err)
	require.JSONEq(t, `{"clients":2}`, text)

	require.NoError(t, os.WriteFile(path, []byte("other"), 0o666))
	_, err = Configuration(rec, "a cluster")
	require.EqualError(t, err, path+" is another guest than the one of the recorded run: its digest is d9298a10d1b07358, and 7692c3ad3540bb80 was recorded")
	_, err = Configuration(&recording.Recording{Parameters: rec.Parameters[:1]}, "a cluster")
	require.NoError(t, err)
	for _, parameters := range [][]option.Setting{nil, {{Name: "writers", Value: "2"}}, {rec.Parameters[0], {Name: "writers", Value: "2"}}} {
		_, err = Configuration(&recording.Recording{Scenario: "issue-15220", Parameters: parameters}, "a cluster")
		require.EqualError(t, err, "it is no recording of a cluster, but of issue-15220")
	}
}
