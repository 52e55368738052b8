package client_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/client/clientv3"
	"github.com/watchbed/watchbed/sim/client/etcd3"
)

// Read in the sources of each release. Kubernetes 1.37 is the first that is built with 3.7.
func TestReleasesDifferInTheResumeRevisionAndGates(t *testing.T) {
	for version, want := range map[string]clientv3.ResumeRevision{
		"3.3.14": clientv3.ResumeAtHeader, "3.3.27": clientv3.ResumeAtHeader, "3.4.0": clientv3.ResumeAtHeader, "3.4.23": clientv3.ResumeAtHeader, "v3.5.7": clientv3.ResumeAtHeader, "3.5.0": clientv3.ResumeAtHeader,
		"3.4.24": clientv3.ResumeAfterHeader, "3.5.8": clientv3.ResumeAfterHeader, "3.6.0": clientv3.ResumeAfterHeader, "3.7.99": clientv3.ResumeAfterHeader,
	} {
		got, err := client.OptionsOf(version)
		require.NoError(t, err)
		wanted := client.Options{Library: clientv3.Options{ResumeRevision: want}}
		if strings.HasPrefix(version, "3.7.") {
			wanted.Watcher.RangeStream, wanted.Watcher.WatchDecode = etcd3.StreamEnabled, etcd3.Concurrent
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
	assert.Equal(t, clientv3.ResumeAtHeader, o.Library.ResumeRevision)
	assert.True(t, o.Library.BroadcastsToAll)
	assert.True(t, o.Watcher.PassesMissingPrevKv)
	assert.Equal(t, 7, o.Watcher.BufSize)
	assert.EqualError(t, client.Group.Set(&o, "resume-revision", "never"), `resume-revision has no value "never"; there are after-header, at-header`)
	for i := range client.Group {
		assert.Equal(t, "client", client.Group[i].Node)
	}
}
