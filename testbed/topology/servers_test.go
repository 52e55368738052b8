package topology_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed/topology"
)

func set(o *topology.Options, value string) error {
	return topology.Group.Set(o, "server-settings", value)
}

func TestServerSettingsHaveOneForm(t *testing.T) {
	var o topology.Options
	require.NoError(t, set(&o, "cache-10:ring=3,cache-2:ring=3,cache-2:cache=kep-4988,cache-2:ring=3,cache-1:client=3.5.7"))
	assert.Equal(t, []string{"cache-1:client=3.5.7", "cache-2:cache=kep-4988", "cache-2:ring=3", "cache-10:ring=3"}, o.ServerSettings)
	assert.Equal(t, option.Settings("cache=kep-4988", "ring=3"), o.SettingsOf("cache-2"))
	require.NoError(t, set(&o, ""))
	assert.Empty(t, o.ServerSettings)
}

func TestServerSettingsAreRefusedInOneLine(t *testing.T) {
	for _, c := range []struct{ value, want string }{
		{"ring=3", `"ring=3": want SERVER:NAME=VALUE, such as cache-2:ring=3 or cache-2:cache=kep-4988`},
		{"cache-2:ring", `"cache-2:ring": want SERVER:NAME=VALUE, such as cache-2:ring=3 or cache-2:cache=kep-4988`},
		{"cache-2:rnig=3", `cache-2:rnig=3: an API server has no option "rnig"; did you mean "ring"?`},
		{"cache-2:progress=dropped", `cache-2:progress=dropped: an API server has no option "progress"; did you mean "progress-scope"?`},
		{"cache-2:progress-requests=perodic", `cache-2:progress-requests=perodic: progress-requests has no value "perodic"; did you mean "periodic"?`},
		{"cache-2:cache=kep-2341", `cache-2:cache=kep-2341: unknown cache design "kep-2341"; did you mean "kep-2340"?`},
		{"cache-2:client=3.5", `cache-2:client=3.5: clientv3: "3.5" is not a version such as 3.5.13`},
		{"cache-2:ring=3,cache-2:ring=4", "cache-2:ring=3 and cache-2:ring=4 both set ring; give one of them"},
	} {
		o := topology.Options{ServerSettings: []string{"cache-1:ring=2"}}
		assert.ErrorContains(t, set(&o, c.value), c.want)
		assert.Equal(t, []string{"cache-1:ring=2"}, o.ServerSettings)
	}
}

func TestServerSettingsNameAServer(t *testing.T) {
	for _, c := range []struct {
		servers int
		want    string
	}{
		{3, ""},
		{1, `server-settings=cache-2:ring=3: there is no API server "cache-2"; there are cache`},
		{0, "server-settings=cache-2:ring=3: there is no API server (caches=0)"},
	} {
		o := topology.Options{Servers: c.servers, ServerSettings: []string{"cache-2:ring=3"}}
		if err := o.CheckServers(); c.want == "" {
			assert.NoError(t, err)
		} else {
			assert.EqualError(t, err, c.want)
		}
	}
}

func TestASettingOfOneServerReplacesItsOwn(t *testing.T) {
	o := topology.Options{Servers: 2, ServerSettings: []string{"cache-1:ring=2", "cache-2:ring=3"}}
	with, err := o.WithServer("cache-1", option.Setting{Name: "ring", Value: "7"})
	require.NoError(t, err)
	assert.Equal(t, []string{"cache-1:ring=7", "cache-2:ring=3"}, with.ServerSettings)
	assert.Equal(t, []string{"cache-1:ring=2", "cache-2:ring=3"}, o.ServerSettings, "the original stays as it is")
	without := o.WithoutServers("ring")
	assert.Empty(t, without.ServerSettings)
	_, err = o.WithServer("cache-1", option.Setting{Name: "ring", Value: "many"})
	assert.Error(t, err)
}
