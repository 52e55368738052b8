package scenarios

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed"
)

// TestEveryScenarioCanBeBuilt with each design and on each version. The settings of a
// scenario are texts, which nothing else reads before it runs.
func TestEveryScenarioCanBeBuilt(t *testing.T) {
	for _, sc := range testbed.Scenarios() {
		if _, err := sc.New(sc.Params); !assert.NoError(t, err, sc.Name) {
			// It would be the same line with each design.
			continue
		}
		for _, d := range campaigns.DesignsBeside(sc.Params.Cache) {
			p := sc.Params
			p.Cache = d.Name
			_, err := sc.New(p)
			assert.NoError(t, err, "%s with the design %s", sc.Name, d.Name)
		}
		for _, v := range etcd.Versions() {
			p := sc.Params
			p.Etcd = v
			_, err := sc.New(p)
			assert.NoError(t, err, "%s on etcd %s", sc.Name, v)
		}
	}
}

// TestScenariosSetEachOptionOnce: of two settings of one option the first would be
// read by nothing.
func TestScenariosSetEachOptionOnce(t *testing.T) {
	for _, sc := range testbed.Scenarios() {
		seen := map[string]bool{}
		for _, s := range sc.Params.Settings {
			assert.False(t, seen[s.Name], "%s sets %s twice", sc.Name, s.Name)
			seen[s.Name] = true
		}
	}
}
