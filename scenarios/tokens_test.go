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
	"github.com/watchbed/watchbed/sim/wire"
)

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
