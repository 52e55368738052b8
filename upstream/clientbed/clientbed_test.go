package clientbed

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/model"
)

// TestCacheForEver: a cache that forgets nothing is no linearizable store, which the property says, in a story that can be replayed.
func TestCacheForEver(t *testing.T) {
	subjects, err := Default("client@forever").Subjects()
	require.NoError(t, err)
	c, err := campaign.Run(t.Context(), subjects, campaign.Config{Seeds: 100, Workers: 1})
	require.NoError(t, err)
	require.Equal(t, "linearizable-data", c.Properties[0].Name)
	require.Equal(t, model.Violated, c.Properties[0].Verdict)
	require.Equal(t, model.Holds, c.Properties[1].Verdict, "it counts right")
	require.Equal(t, model.Holds, c.Properties[2].Verdict, "it writes once")

	told, err := Tell(t.Context(), subjects, c.Failures[0], 300)
	require.NoError(t, err)
	require.NotEmpty(t, told.Story)
	var file bytes.Buffer
	_, err = told.Recording.WriteTo(&file)
	require.NoError(t, err)
	read, err := recording.Read(&file, "replay")
	require.NoError(t, err)
	again, err := Replay(subjects, read)
	require.NoError(t, err)
	require.Equal(t, told.Story, again.Story)
}

// TestPutsHappenOnce: etcd's leasing puts a key twice that it has not cached. With that mended it puts each once.
func TestPutsHappenOnce(t *testing.T) {
	for guest, want := range map[string]model.Verdict{"client@leasing": model.Violated, "client@leasing+put-once": model.Holds} {
		subjects, err := Default(guest).Subjects()
		require.NoError(t, err)
		c, err := campaign.Run(t.Context(), subjects, campaign.Config{Seeds: 100, Workers: 1})
		require.NoError(t, err)
		t.Log(guest, c.Properties)
		require.Equal(t, "once", c.Properties[2].Name)
		require.Equal(t, want, c.Properties[2].Verdict, guest)
	}
}

// TestGuestIsNotCompiled: one line says what to do.
func TestGuestIsNotCompiled(t *testing.T) {
	directory := t.TempDir()
	t.Setenv("WATCHBED_GUESTS", directory)
	_, err := Default("client@mine").Subjects()
	require.EqualError(t, err, `the guest client@mine is not in `+directory+`: run "make upstream GUEST=client@mine" in the repository, with the path of the folder in place of "mine"`)
}
