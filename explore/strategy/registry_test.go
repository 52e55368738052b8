package strategy

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
)

type first struct{}

func (first) Begin(uint64)                       {}
func (first) Pick(*sim.World, []sim.Action) int  { return 0 }
func (first) Choose(*sim.World, int, string) int { return 0 }

func newFirst(Profile) Chooser { return first{} }

func namesOf(list []Strategy) (names []string) {
	for _, s := range list {
		names = append(names, s.Name)
	}
	return names
}

// The order of the members decides which seed a strategy gets, and so the hash of
// every campaign.
func TestOrderOfStrategiesAndPortfolioIsFixed(t *testing.T) {
	require.Equal(t, []string{"portfolio", "random", "urw", "pct3", "pos", "weights", "paced"}, namesOf(All())[:7])
	require.Equal(t, []string{"paced", "random", "urw", "pct3", "pos", "weights"}, namesOf(Members()))
	require.Equal(t, "portfolio", Default().Name)
}

// keepRegistry undoes what a test registers.
func keepRegistry(t *testing.T) {
	before := *strategies
	t.Cleanup(func() { *strategies = before })
}

func TestStrategiesFromOutsideComeLast(t *testing.T) {
	keepRegistry(t)
	ours := namesOf(All())
	for _, name := range []string{"zigzag", "aside"} {
		Register(Strategy{Name: name, Summary: "from outside", New: newFirst})
	}
	require.Equal(t, append(ours, "zigzag", "aside"), namesOf(All()))
	found, err := Find("aside")
	require.NoError(t, err)
	require.Equal(t, "from outside", found.Summary)
}

func TestFindNamesTheNearestStrategy(t *testing.T) {
	_, err := Find("pace")
	require.EqualError(t, err, `unknown strategy "pace"; did you mean "paced"?`)
}

func TestRegisterRefusesIncompleteAndTakenNames(t *testing.T) {
	keepRegistry(t)
	require.PanicsWithValue(t, `strategy "random" is registered twice`, func() { Register(Random()) })
	require.Panics(t, func() { Register(Strategy{Summary: "no name", New: newFirst}) })
	require.Panics(t, func() { Register(Strategy{Name: "no-summary", New: newFirst}) })
	require.Panics(t, func() { Register(Strategy{Name: "no-function", Summary: "-"}) })
}
