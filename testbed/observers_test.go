package testbed_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	_ "github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// verdict is a finding without its sentence.
type verdict struct {
	property, label string
	verdict         model.Verdict
	exercised       int
}

func verdicts(found []explore.Finding) []verdict {
	var all []verdict
	for i := range found {
		f := &found[i]
		all = append(all, verdict{f.Property, f.Label, f.Verdict, f.Exercised})
	}
	return all
}

// An observer that follows some nodes gives the same verdicts as an observer of all steps.
func TestStepsThatAreNotFollowedChangeNoVerdict(t *testing.T) {
	for _, sc := range testbed.Scenarios() {
		t.Run(sc.Name, func(t *testing.T) {
			t.Parallel()
			var runners [2]*explore.Runner
			for i := range runners {
				s, err := sc.New(sc.Params)
				require.NoError(t, err)
				if i == 1 {
					s.FollowAll()
				}
				runners[i] = explore.NewRunner(s, sc.Params.Clock.Steps)
			}
			chooser := strategy.Default().For(runners[0])
			for seed := range uint64(10) {
				chooser.Begin(seed)
				following := verdicts(runners[0].Run(chooser).Findings)
				chooser.Begin(seed)
				require.Equal(t, verdicts(runners[1].Run(chooser).Findings), following, "seed %d", seed)
			}
		})
	}
}

// The role of each node is that of the node which is in the world.
func TestRolesAreThoseOfTheNodes(t *testing.T) {
	seen := map[testbed.Part]bool{}
	for _, sc := range testbed.Scenarios() {
		s, err := sc.New(sc.Params)
		require.NoError(t, err)
		w := sim.NewWorld(s.Options())
		s.Build(w)
		for n := sim.NodeID(1); int(n) < w.Nodes(); n++ {
			role := s.Role(n)
			seen[role.Part] = true
			if want := nodeOf(s, role); want != nil {
				require.Same(t, want, w.Node(n), "%s: %s", sc.Name, w.NodeName(n))
			} else {
				require.Regexp(t, "^(client|compactor)", w.NodeName(n), sc.Name)
			}
		}
	}
	require.Len(t, seen, int(testbed.DrawnWatcherNode), "all parts but the world")
}

// nodeOf is the node that a role is about, nil for those of an API server beside its caches.
func nodeOf(s *testbed.System, role testbed.Role) sim.Node {
	switch i := role.Place; role.Part {
	case testbed.EtcdMember:
		return s.Members()[i].Server
	case testbed.CacheNode:
		return s.Caches()[i].Node
	case testbed.HistoryClient:
		return s.Clients()[i]
	case testbed.WatcherNode:
		return s.Watchers()[i]
	case testbed.StreamNode:
		return s.Streams()[i]
	case testbed.InformerNode:
		return s.Informers()[i].Informer
	case testbed.ListWatcherNode:
		return s.ListWatchers()[i]
	case testbed.PollerNode:
		return s.Pollers()[i]
	case testbed.DrawnWatcherNode:
		return s.DrawnWatchers()[i]
	}
	return nil
}
