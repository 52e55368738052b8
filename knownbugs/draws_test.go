package knownbugs_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// TestDrawsPlantNoBug: and what is no bug is drawn, or there is a reason.
func TestDrawsPlantNoBug(t *testing.T) {
	drawn := map[option.Setting]bool{}
	for _, sc := range testbed.Scenarios() {
		for _, r := range sc.Draws {
			for _, v := range r.Values {
				drawn[option.Setting{Name: r.Name, Value: v}] = true
			}
		}
	}
	bugs := map[option.Setting]bool{}
	for _, b := range testbed.KnownBugs() {
		bugs[b.Planting()] = true
		assert.False(t, drawn[b.Planting()], "%s is drawn", b.Name)
	}
	reasons := map[option.Setting]bool{}
	for _, o := range testbed.Describe() {
		for _, v := range o.Values {
			s := option.Setting{Name: o.Name, Value: v.Name}
			if reasons[s] = v.Undrawn != ""; reasons[s] {
				assert.False(t, drawn[s], "%s is drawn after all", s)
			}
		}
	}
	// What releases differ in, --etcd takes.
	var nodes testbed.Nodes
	var err error
	released := map[string]map[string]bool{}
	for _, version := range etcd.Versions() {
		p := testbed.With("cache=kep-2340 etcd=" + version)
		nodes, err = p.Nodes()
		require.NoError(t, err)
		for _, c := range nodes.Choices() {
			if released[c.Name] == nil {
				released[c.Name] = map[string]bool{}
			}
			released[c.Name][nodes.Value(c.Name)] = true
		}
	}
	for _, c := range nodes.Choices() {
		healthy := slices.DeleteFunc(slices.Clone(c.Values), func(v string) bool { return bugs[option.Setting{Name: c.Name, Value: v}] })
		if len(healthy) == 1 {
			continue
		}
		for _, v := range healthy {
			s := option.Setting{Name: c.Name, Value: v}
			ofReleases := released[c.Name][v] && len(released[c.Name]) > 1
			assert.False(t, reasons[s] && ofReleases, "%s needs no reason", s)
			assert.True(t, drawn[s] || reasons[s] || ofReleases, "%s is drawn nowhere", s)
		}
	}
}
