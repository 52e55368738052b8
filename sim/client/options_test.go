package client_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/client/clientv3"
)

// Read in the sources of each release. Kubernetes 1.37 is the first that is built with 3.7.
func TestReleasesDifferInTheResumeRevisionAndGates(t *testing.T) {
	for version, want := range map[string]bool{
		"3.3.14": true, "3.3.27": true, "3.4.0": true, "3.4.23": true, "v3.5.7": true, "3.5.0": true,
		"3.4.24": false, "3.5.8": false, "3.6.0": false, "3.7.99": false,
	} {
		got, err := client.OptionsOf(version)
		require.NoError(t, err)
		wanted := client.Options{Library: clientv3.Options{ResumesAtHeader: want}}
		if strings.HasPrefix(version, "3.7.") {
			wanted.Watcher.StreamsRanges, wanted.Watcher.DecodesConcurrently = true, true
		}
		assert.Equal(t, wanted, got, version)
	}
}

func TestAnUnknownVersionIsRefused(t *testing.T) {
	for _, v := range []string{"", "3.5", "3.5.x", "3.3.13", "3.8.0", "2.5.7", "3.5.7.1", "3.5.-1", "4.0.0"} {
		_, err := client.OptionsOf(v)
		require.Error(t, err, v)
		_, err = client.DefaultConfig(v)
		require.Error(t, err, v)
	}
}

func TestOptionsAreSetByName(t *testing.T) {
	var o client.Options
	for _, s := range [][2]string{{"resume-revision", "at-header"}, {"progress-scope", "client"}, {"missing-prev-kv", "passes"}, {"client-buf", "7"}} {
		require.NoError(t, client.Group.Set(&o, s[0], s[1]))
	}
	assert.True(t, o.Library.ResumesAtHeader)
	assert.True(t, o.Library.BroadcastsToAll)
	assert.True(t, o.Watcher.PassesMissingPrevKv)
	assert.Equal(t, 7, o.Watcher.BufSize)
	assert.EqualError(t, client.Group.Set(&o, "resume-revision", "never"), `resume-revision has no value "never"; there are after-header, at-header`)
	for i := range client.Group {
		assert.Equal(t, "client", client.Group[i].Node)
	}
}
