package scenarios_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
)

// TestARolloutComesToEveryStage: upgrade, downgrade and upgrade of both servers, with
// LISTs that etcd answers while a gate is off, and the cache while it is on.
func TestARolloutComesToEveryStage(t *testing.T) {
	system, err := scenarios.Rollout.New(scenarios.Rollout.Params)
	require.NoError(t, err)
	runner := explore.NewRunner(system, scenarios.Rollout.Params.Clock.Steps)
	chooser := strategy.Default().For(runner)
	// stages are how many runs end in each, answered who answered consistent LISTs.
	stages, answered := map[[2]int]int{}, map[wire.Origin]int{}
	for seed := range uint64(400) {
		chooser.Begin(seed)
		runner.Run(chooser)
		var stage [2]int
		for i, c := range system.Caches() {
			stage[i] = c.Node.(*cache.Cache).Generation()
			on := stage[i]%2 == 1
			want := map[bool]string{true: "default", false: "disabled"}[on]
			require.Equal(t, want, c.Server().Value("consistent-list-from-cache"))
		}
		stages[stage]++
		for _, c := range system.Clients() {
			for i, request := range c.Requests() {
				if _, lists := request.(*wire.ListRequest); lists && c.Operations()[i].Outcome == model.Done {
					answered[c.Spans()[i].Origin]++
				}
			}
		}
	}
	for first := range 4 {
		for second := max(0, first-1); second <= first; second++ {
			assert.NotZero(t, stages[[2]int{first, second}], "no run ends in stage %d, %d", first, second)
			delete(stages, [2]int{first, second})
		}
	}
	assert.Empty(t, stages, "servers are replaced in order")
	assert.Greater(t, answered[wire.FromCache], 100)
	assert.Greater(t, answered[wire.FromEtcd], 100)
}

// TestTokensCrossServers: of the pages of one list the server with snapshots answers some,
// and etcd answers those between them, which are requested of the other server.
func TestTokensCrossServers(t *testing.T) {
	system, err := scenarios.RolloutSnapshots.New(scenarios.RolloutSnapshots.Params)
	require.NoError(t, err)
	runner := explore.NewRunner(system, scenarios.RolloutSnapshots.Params.Clock.Steps)
	chooser := strategy.Default().For(runner)
	crossed := 0
	for seed := range uint64(600) {
		chooser.Begin(seed)
		runner.Run(chooser)
		for _, c := range system.Clients() {
			requests, ops, spans := c.Requests(), c.Operations(), c.Spans()
			for i := 2; i < len(requests); i++ {
				if !isLaterPage(requests[i-1]) || !isLaterPage(requests[i]) || ops[i].Outcome != model.Done {
					continue
				}
				if spans[i-2].Origin == wire.FromCache && spans[i-1].Origin == wire.FromEtcd && spans[i].Origin == wire.FromCache {
					crossed++
				}
			}
		}
	}
	assert.Greater(t, crossed, 5)
}

func isLaterPage(p sim.Payload) bool {
	list, ok := p.(*wire.ListRequest)
	return ok && list.Continue != ""
}
