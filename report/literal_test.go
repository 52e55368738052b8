package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// TestAScenarioOfOnesOwnIsSummarized: a scenario that is a literal, in no catalogue and without
// what is known of it, is told like any other.
func TestAScenarioOfOnesOwnIsSummarized(t *testing.T) {
	own := &testbed.Scenario{
		Name: "own",
		Params: testbed.Params{
			Etcd: "3.5.7", Cache: "kep-2340",
			Topology: topology.Options{Servers: 1},
			Workload: workload.Options{Writers: 1, Writes: 2, Readers: 1, Reads: 2, Read: "consistent", Keys: 1, AwaitReady: true},
			Clock:    testbed.Clock{Steps: 20_000},
		},
		Claims: []*testbed.Property{reads.Linearizable},
	}
	p := own.Params
	subjects, err := own.Subjects(p)
	require.NoError(t, err)
	found, err := campaign.Run(t.Context(), subjects, campaign.Config{Seeds: 2000})
	require.NoError(t, err)
	s := summary.Of(own, &p, found)

	var text, junit, asJSON bytes.Buffer
	require.NoError(t, WriteSummary(&text, Terminal{Width: 100}, s))
	require.Contains(t, text.String(), "own on etcd 3.5.7")
	require.Regexp(t, `linearizable +violated`, text.String())
	require.NoError(t, WriteJSON(&asJSON, s))
	require.NoError(t, WriteJUnit(&junit, []*summary.Summary{s}))
	require.Equal(t, 1, strings.Count(junit.String(), "<failure"))
}
