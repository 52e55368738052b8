package scenarios

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// active is a value of an option that makes a difference in a scenario, by what the scenario says (Scenario.Active): its
// campaign is not that of the scenario without the value.
type active struct {
	// set is the value, with the settings that it needs; the scenario is compared with itself with these.
	set, with string
	scenario  *testbed.Scenario
}

// usual are scenarios in which most values make a difference.
var usual = []string{"consistent-list", "every-read", "any-requests", "any-etcd-requests", "watch-list", "recovery", "informer-handlers", "lagging-member",
	"stalled-watches", "watch-list-behind", "snapshot-reads"}

// amounts are what is tried of an option that is no choice, by the form of its values.
var amounts = []struct{ form, values string }{
	{"true or false", "true false"}, {"a whole number", "1 2 3 10 100"}, {"a duration", "1m40s 20s 2s 150ms 20ms 1ms"},
}

// The program issue-15220 names is the simulated server, which masks of races do not reach as a program.
func init() {
	testbed.RegisterPrograms(func(name string) *testbed.Program {
		if name != "simulated@v3.5.7" {
			return nil
		}
		return &testbed.Program{Name: name, Version: "3.5.7", New: func(s *etcd.Server) testbed.ProgramNode { return s }}
	})
}

// activeSchedules are the sizes of the campaigns in which a difference is looked for. A value that no scenario names has
// the first two.
var activeSchedules = []uint64{3, 30, 300, 3000}

// TestEachValueOfEachOptionIsActive: each value of a choice but the one that the others are compared with, each design,
// and some value of each other option makes a difference. Of bugs TestKnownBugsAreDetected shows it.
func TestEachValueOfEachOptionIsActive(t *testing.T) {
	said, saidOf, tests := map[string]bool{}, map[string]bool{}, map[string]func(*testing.T){}
	for _, sc := range testbed.Scenarios() {
		for _, set := range slices.Sorted(maps.Keys(sc.Active)) {
			require.NotContains(t, said, set, "two scenarios name it")
			name, _, _ := strings.Cut(set, "=")
			a := &active{set, sc.Active[set], sc}
			said[set], saidOf[name], tests[set] = true, true, a.check
		}
	}
	compared, err := testbed.FindScenario("any-requests")
	require.NoError(t, err)
	// What it has of a choice is what the other values are compared with.
	has := compared.Params.Expand()
	for _, o := range testbed.Describe() {
		each, any := valuesOf(o)
		than := has[slices.IndexFunc(has, func(s option.Setting) bool { return s.Name == o.Name })].Value
		if len(each) > 0 {
			than = cmp.Or(than, each[0])
		}
		unlisted := slices.DeleteFunc(slices.Clone(each), func(v string) bool { return said[o.Name+"="+v] })
		for _, v := range unlisted {
			if v != than && len(unlisted) > 1 {
				tests[o.Name+"="+v] = func(t *testing.T) { isActive(t, o, than, v) }
			}
		}
		// Only whole servers have members, and the module upstream has those (TestCatalogueOnWholeServers).
		if len(each) == 0 && !saidOf[o.Name] && o.Name != "bugs" && o.Name != "etcd-members" {
			tests[o.Name] = func(t *testing.T) { isActive(t, o, than, any...) }
		}
		delete(saidOf, o.Name)
	}
	assert.Empty(t, saidOf, "scenarios name options that there are not")
	for i, name := range slices.Sorted(maps.Keys(tests)) {
		if i%testsize.Of(1, 12) == 0 {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				tests[name](t)
			})
		}
	}
}

// valuesOf are the values of an option each of which is to be active, or of which any is.
func valuesOf(o testbed.Described) (each, any []string) {
	for _, v := range o.Values {
		if !v.IsBug {
			each = append(each, v.Name)
		}
	}
	if o.Name == "cache" {
		for _, d := range cache.Designs() {
			each = append(each, d.Name)
		}
	}
	for _, a := range amounts {
		if strings.HasPrefix(o.Form, a.form) {
			any = strings.Fields(a.values)
		}
	}
	return each, any
}

// isActive looks for a difference in the scenarios that set the option, and in the usual ones. A choice is compared
// with a value of it, another option with what the scenario says.
func isActive(t *testing.T, o testbed.Described, than string, values ...string) {
	var names []string
	for _, sc := range testbed.Scenarios() {
		if sc.Params.GivenValue(o.Name) != "" {
			names = append(names, sc.Name)
		}
	}
	names = append(names, usual...)
	for _, n := range activeSchedules[:2] {
		for _, name := range names {
			sc, err := testbed.FindScenario(name)
			require.NoError(t, err)
			without := sc.Params
			if len(o.Values) > 0 {
				without, err = without.With(o.Name, than)
				require.NoError(t, err)
			}
			before := compared(t, sc, without, n)
			for _, v := range values {
				set := without
				if set.Set(o.Name, v) != nil {
					continue
				}
				if _, err := sc.Subjects(set); err == nil && before.Hash != compared(t, sc, set, n).Hash {
					return
				}
			}
		}
	}
	assert.Fail(t, "not active", "%s: %s makes no difference in %v: the scenario where it does names it (Active)", o.Name, values, names)
}

func (a *active) check(t *testing.T) {
	var settings []string
	if a.with != "" {
		settings = strings.Split(a.with, ",")
	}
	name, _, _ := strings.Cut(a.set, "=")
	without, set := campaigns.With(t, a.scenario, settings...), campaigns.With(t, a.scenario, append(settings, a.set)...)
	a.comparesWithDefault(t, name, &without)
	for _, n := range activeSchedules {
		before, after := compared(t, a.scenario, without, n), compared(t, a.scenario, set, n)
		// What only judges read changes no schedule.
		if before.Hash != after.Hash || !reflect.DeepEqual(before.Properties, after.Properties) || !reflect.DeepEqual(before.Metrics, after.Metrics) {
			return
		}
	}
	assert.Fail(t, "not active", "%s makes no difference in %s %s, in %d schedules", a.set, a.scenario.Name, a.with, activeSchedules[len(activeSchedules)-1])
}

// comparesWithDefault: of an option of the cache it is the default that the value is
// compared with. Releases of etcd and scenarios have no common default of other options.
func (a *active) comparesWithDefault(t *testing.T, name string, p *testbed.Params) {
	t.Helper()
	n, err := p.Nodes()
	require.NoError(t, err)
	for _, o := range testbed.Describe() {
		if o.Name == name && o.Node == "cache" && len(o.Values) > 0 {
			require.Equal(t, o.Values[0].Name, n.Value(name), "%s is to be compared with the default", a.set)
		}
	}
}

func compared(t *testing.T, sc *testbed.Scenario, p testbed.Params, seeds uint64) *campaign.Result {
	t.Helper()
	c, _ := campaignsCompared.LoadOrStore(fmt.Sprint(sc.Name, seeds, p.Expand()), sync.OnceValue(func() *campaign.Result {
		return campaigns.Explored(t, sc, p, 0, seeds)
	}))
	return c.(func() *campaign.Result)()
}

// campaignsCompared are those that were run. That of a scenario at its defaults is compared with many.
var campaignsCompared sync.Map
