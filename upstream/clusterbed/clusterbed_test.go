package clusterbed

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
)

// TestReleaseHolds: three members of a release without a known bug keep what is claimed, whatever breaks, and do the same in each run of a seed.
func TestReleaseHolds(t *testing.T) {
	subjects, err := Default("cluster@v3.6.16").Subjects()
	require.NoError(t, err)
	r, err := campaign.Run(t.Context(), subjects, campaign.Config{Strategy: strategy.Random(), Seeds: 40, RecheckShare: 0.1, Steps: Steps})
	require.NoError(t, err)
	for _, p := range r.Properties {
		require.Equal(t, model.Holds, p.Verdict, p.Name)
	}
}

// TestMistakeIsFound: a change of the write-ahead log that leaves votes unsynced has two members lead in one term, and the shrunk run comes again from its recording.
func TestMistakeIsFound(t *testing.T) {
	subjects, err := Default("cluster@v3.6.16+sync-later").Subjects()
	require.NoError(t, err)
	r, err := campaign.Run(t.Context(), subjects, campaign.Config{Strategy: strategy.Random(), FirstSeed: 11, Seeds: 1, Steps: Steps})
	require.NoError(t, err)
	require.Len(t, r.Failures, 1)
	require.Equal(t, "one-leader-a-term", r.Failures[0].Failure.Property)

	run, err := Tell(t.Context(), subjects, strategy.Random(), r.Failures[0], 50)
	require.NoError(t, err)
	require.Regexp(t, `^member-\d and member-\d both led in term \d+$`, run.Why)
	var file bytes.Buffer
	_, err = run.Recording.WriteTo(&file)
	require.NoError(t, err)
	read, err := recording.Read(&file, "replay")
	require.NoError(t, err)
	again, err := Replay(read)
	require.NoError(t, err)
	require.Equal(t, run.Story, again.Story)
}
