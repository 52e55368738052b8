package designs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// TestReleasedEtcd: the watch server of etcd 3.5.7 itself sends progress before the event of the same revision
// (etcd-io/etcd#15220), that of 3.5.12 drops progress requests, so that reads hang (etcd-io/etcd#17507), and that of
// 3.5.13 does neither.
func TestReleasedEtcd(t *testing.T) {
	for _, c := range []struct {
		sc             *testbed.Scenario
		version, finds string
		seeds          int
	}{
		{scenarios.Issue15220, "3.5.7", "linearizable", 120},
		{scenarios.Issue15220, "3.5.13", "", 120},
		{scenarios.Issue17507, "3.5.12", "answers-in-time", 20},
		{scenarios.Issue17507, "3.5.13", "", 20},
	} {
		t.Run(c.sc.Name+" on "+c.version, func(t *testing.T) {
			got := explored(t, c.sc, c.seeds, "cache=kep-2340", "etcd="+c.version, "etcd-program=etcd@v"+c.version)
			for name, property := range got {
				require.NotZero(t, property.Exercised, name)
				if c.finds == "" {
					require.Equal(t, model.Holds, property.Verdict, name)
				}
			}
			if c.finds != "" {
				require.Equal(t, model.Violated, got[c.finds].Verdict)
			}
		})
	}
}
