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

// undrawn are values of options that are no known bugs and are drawn nowhere, by the
// reason.
var undrawn = map[string][]string{
	"what else there is answers LISTs without the cache, so that nothing is left to see":             {"freshness=consistent", "freshness=direct"},
	"a ticker of etcd may go off again and again in an untimed run":                                  {"progress-requests=notify"},
	"the cache that asks for echoes has it set":                                                      {"progress-echo=none", "progress-echo=echoed"},
	"scenarios have a write as one step, for speed; two-step-writes has it set":                      {"visible-revision=with-events", "visible-revision=after-events"},
	"the queue goes with the release of client-go; the older one violates what the newer one is for": {"informer-batch-members=different", "informer-batch-members=of-object"},
	"requests name shards or none; informer-shard-skew has servers of both kinds":                    {"shards=honoured", "shards=ignored"},
	"no scenario with draws has etcd's cache library": {"library-progress=later", "library-progress=next", "library-store=ended", "library-store=kept",
		"library-watchers=go-on", "library-watchers=ended"},
	"the command line does not say more than that a gate is on": {"consistent-list-from-cache=default", "watch-list=default"},
}

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
	for _, values := range undrawn {
		for _, s := range option.Settings(values...) {
			assert.False(t, drawn[s], "%s is drawn after all", s)
			reasons[s] = true
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
