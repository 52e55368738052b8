package follower_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"

	_ "github.com/watchbed/watchbed/knownbugs"
)

// idle is a cache of another module.
type idle struct{ sim.Node }

// TestAnotherModuleRegistersADesign leaves its designs registered. So it is in a package whose
// other tests name their designs.
func TestAnotherModuleRegistersADesign(t *testing.T) {
	cache.RegisterDesign(cache.Design{Preset: option.Preset{Name: "test-small", Doc: "kep-2340 with a ring of 2", Settings: option.Settings("ring=2")}})
	cache.RegisterDesign(cache.Design{Preset: option.Preset{Name: "test-idle", Doc: "does nothing"}, New: func(cache.Config) sim.Node { return idle{} }})
	small, err := cache.FindDesign("test-small")
	require.NoError(t, err)
	require.Equal(t, 2, small.Options().RingCapacity)
	other, err := cache.FindDesign("test-idle")
	require.NoError(t, err)
	require.Equal(t, idle{}, other.New(cache.Config{}))
	require.Panics(t, func() { cache.RegisterDesign(*small) }, "there is one of that name")
	require.Panics(t, func() {
		cache.RegisterDesign(cache.Design{Preset: option.Preset{Name: "test-wrong", Settings: option.Settings("ring=two")}})
	}, "a setting that cannot be set")
}

// TestSettingsThatADesignDoesNotReadDoNotHold: a scenario's settings of a cache do not reach a node that reads
// none of them, and judges are not told that they do.
func TestSettingsThatADesignDoesNotReadDoNotHold(t *testing.T) {
	cache.RegisterDesign(cache.Design{
		Preset: option.Preset{Name: "test-deaf", Doc: "reads one option", Settings: option.Settings("ring=5")},
		New:    func(cache.Config) sim.Node { return idle{} }, Reads: []string{"page"},
	})
	p := testbed.Params{Etcd: "3.6.16", Cache: "test-deaf", Settings: option.Settings("ring=3", "page=2", "client-buf=1", "range-time=1ms")}
	p.Topology.Servers, p.Topology.ServerSettings = 2, []string{"cache-2:ring=7", "cache-2:page=4"}
	n, err := p.Nodes()
	require.NoError(t, err)
	require.Equal(t, []string{"5", "2", "1", "1ms"}, []string{n.Value("ring"), n.Value("page"), n.Value("client-buf"), n.Value("range-time")})
	servers, err := p.Servers()
	require.NoError(t, err)
	require.Equal(t, "5", servers[1].Value("ring"))
	require.Equal(t, "4", servers[1].Value("page"))
	p.Bugs = []string{"kubernetes-58545"}
	_, err = p.Nodes()
	require.ErrorContains(t, err, "does not read")
}

// TestDesignsOfAFamily: a family is asked for names that no registered design has, and for no others.
func TestDesignsOfAFamily(t *testing.T) {
	var asked []string
	cache.RegisterFamily(func(name string) *cache.Design {
		asked = append(asked, name)
		if !strings.HasPrefix(name, "test-family-") {
			return nil
		}
		return &cache.Design{Preset: option.Preset{Name: name, Settings: option.Settings("ring=2")}, New: func(cache.Config) sim.Node { return idle{} }}
	})
	d, err := cache.FindDesign("test-family-1")
	require.NoError(t, err)
	require.True(t, d.OwnNode())
	_, err = cache.FindDesign("kep-2340")
	require.NoError(t, err)
	_, err = cache.FindDesign("test-none")
	require.ErrorContains(t, err, "unknown cache design")
	require.Equal(t, []string{"test-family-1", "test-none"}, asked)
}
