package knownbugs_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// undrawn are values of options that are no known bugs and are drawn nowhere, by the
// reason.
var undrawn = map[string][]string{
	"what else there is answers LISTs without the cache, so that nothing is left to see": {"freshness=consistent", "freshness=direct"},
	"a ticker of etcd may go off again and again in an untimed run":                      {"progress-requests=notify"},
	"the cache that asks for echoes has it set":                                          {"progress-echo=none", "progress-echo=echoed"},
	"it is what the releases do, which --etcd takes": {
		"progress=dropped-below-start", "created=in-order", "negative-start=refused", "watch-options=with-watch", "notify-min-rev=always",
		"sync-min-rev=never-lowered", "compacted-unsynced=skipped", "compact-tombstone=kept", "compact-recreated=kept", "keys-only=from-backend", "keys-only=from-index", "restore-tombstone=indexed",
		"restore-revision=from-scheduled-compaction", "lease-time-left=of-leader", "needless-ranges=checked", "read-index-ids=fresh", "sync-history=kept", "sync-history=read-anew", "create-at-zero=read-before-register", "create-at-zero=passed-through",
		"range-stream=unimplemented", "range-stream=served", "etcd-range-stream=disabled", "etcd-range-stream=enabled",
		"watch-decode=serial", "watch-decode=concurrent",
	},
	"scenarios have a write as one step, for speed; two-step-writes has it set": {"visible-revision=with-events", "visible-revision=after-events"},
	"it is what releases of 3.3 do, which --etcd takes, or what all later ones do": {
		"progress=ignored", "fragments=full", "fragments=none", "watch-ids=as-asked", "watch-ids=counted", "refusal-reason=named", "refusal-reason=none",
	},
	"the command line does not say more than that a gate is on": {"consistent-list-from-cache=default", "watch-list=default"},
}

// TestDrawsPlantNoBug: and what is no bug is drawn, or there is a reason.
func TestDrawsPlantNoBug(t *testing.T) {
	drawn := map[option.Setting]bool{}
	for _, r := range slices.Concat(scenarios.DrawsCache, scenarios.DrawsClient, scenarios.DrawsEtcd) {
		for _, v := range r.Values {
			drawn[option.Setting{Name: r.Name, Value: v}] = true
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
	var p testbed.Params
	require.NoError(t, p.Set("etcd", "3.6.16"))
	require.NoError(t, p.Set("cache", "kep-2340"))
	nodes, err := p.Nodes()
	require.NoError(t, err)
	for _, c := range nodes.Choices() {
		healthy := slices.DeleteFunc(slices.Clone(c.Values), func(v string) bool { return bugs[option.Setting{Name: c.Name, Value: v}] })
		if len(healthy) == 1 {
			continue
		}
		for _, v := range healthy {
			s := option.Setting{Name: c.Name, Value: v}
			assert.True(t, drawn[s] || reasons[s], "%s is drawn nowhere", s)
		}
	}
}
