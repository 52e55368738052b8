package scenarios

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed"
)

// TestMaskedRacesHaveAScenario: each race that is masked is shown by a scenario that
// unmasks it, and every release has it.
func TestMaskedRacesHaveAScenario(t *testing.T) {
	require.NotEmpty(t, testbed.Races())
	for _, r := range testbed.Races() {
		sc, err := testbed.FindScenario(r.Scenario)
		require.NoError(t, err)
		p := sc.Params
		assert.NotContains(t, p.Masked(), r)
		for _, v := range etcd.Versions() {
			p.Etcd = v
			n, err := p.Nodes()
			require.NoError(t, err)
			require.NotEmpty(t, n.Value(r.Option))
			assert.NotEqual(t, r.Value, n.Value(r.Option), "etcd %s", v)
		}
	}
}

// TestOnlyThreeScenariosUnmask: all others would be violated by the race once in
// some thousand schedules.
func TestOnlyThreeScenariosUnmask(t *testing.T) {
	var names []string
	for _, sc := range testbed.Scenarios() {
		if len(sc.Params.Masked()) < len(testbed.Races()) {
			names = append(names, sc.Name)
		}
	}
	assert.Equal(t, []string{"watch-guarantees", "rewatch", "shared-stream"}, names)
}

// TestASettingTakesThePlaceOfAMask: with the race set nothing is masked.
func TestASettingTakesThePlaceOfAMask(t *testing.T) {
	p := ConsistentList.Params
	require.Len(t, p.Masked(), 1)
	require.NoError(t, p.Set("created", "past-channel"))
	assert.Empty(t, p.Masked())
	assert.EqualError(t, p.Set("unmask", "creatd"), `unmask=creatd: no race of this name is masked; did you mean "created"?`)
}
