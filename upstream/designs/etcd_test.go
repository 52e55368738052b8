package designs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// TestMendedEtcd: the watch servers of the newest releases have neither etcd-io/etcd#15220 nor #17507. TestFourCorners finds both in
// the releases that have them.
func TestMendedEtcd(t *testing.T) {
	for _, etcd := range []string{"etcd@v3.5.35", "etcd@v3.6.16", "etcd@v3.7.3"} {
		for sc, seeds := range map[*testbed.Scenario]int{scenarios.Issue15220: 120, scenarios.Issue17507: 20} {
			t.Run(etcd+"/"+sc.Name, func(t *testing.T) {
				for name, property := range explored(t, sc, seeds, "cache=kep-2340", "etcd="+etcd) {
					require.NotZero(t, property.Exercised, name)
					require.Equal(t, model.Holds, property.Verdict, name)
				}
			})
		}
	}
}
