package client_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/client"
)

func TestEveryBugIsAValueOfItsDimension(t *testing.T) {
	healthy, err := client.ForVersion("3.7.3")
	require.NoError(t, err)
	require.Equal(t, client.Behaviour{}, healthy)
	for _, bug := range client.Bugs() {
		b, err := healthy.Apply(bug.Name)
		require.NoError(t, err)
		for i, d := range b.Dimensions() {
			if d.Name == bug.Dimension {
				require.Equal(t, bug.Value, d.Value)
				require.Contains(t, d.Values, bug.Value)
			} else {
				require.Equal(t, healthy.Dimensions()[i], d, "nothing else changes")
			}
		}
	}
	old, err := client.ForVersion("v3.5.7")
	require.NoError(t, err)
	repeats, err := healthy.Apply("client-resume-repeats")
	require.NoError(t, err)
	require.Equal(t, repeats, old)
}

func TestWhatIsNotKnownIsRefused(t *testing.T) {
	for _, v := range []string{"", "3.5", "3.5.x", "3.3.27", "3.8.0", "2.5.7", "3.5.7.1", "3.5.-1"} {
		_, err := client.ForVersion(v)
		require.Error(t, err, v)
		_, err = client.DefaultConfig(v)
		require.Error(t, err, v)
	}
	var b client.Behaviour
	_, err := b.With("resume-revision", "never")
	require.ErrorContains(t, err, "at-header")
	_, err = b.With("colour", "red")
	require.ErrorContains(t, err, "missing-prev-kv")
	_, err = b.Apply("none")
	require.ErrorContains(t, err, "client-resume-repeats")
}
