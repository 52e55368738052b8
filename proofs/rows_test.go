package proofs_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/watchbed/watchbed/knownbugs"
	"github.com/watchbed/watchbed/proofs"
	_ "github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// one is the smallest workload with a write and a read.
const one = "writers=1 writes=1 readers=1 reads=1"

// quietTimed leaves one write to another prefix, and clients that list one object of a quiet range, with a
// clock: messages and loops take no time, so that what is due at one moment comes in every order.
const quietTimed = "noise-writes=1 readers=1 items=1 keys=1 network=0s scheduling=0s horizon=1s"

// row is a search of the table.
type row struct {
	name     string
	scenario *testbed.Scenario
	params   testbed.Params
	firings  int
	// bug is the known bug of the row, empty if it has none. control is a search within the bounds of that bug without
	// it.
	bug     string
	control bool
	want    proofs.Search
}

// rowsOf are the searches of the table: the rows without a bug, those of known bugs and, behind each of them, the same
// bounds without the bug, for the one promise that the bug breaks.
func rowsOf(t *testing.T, table *proofs.Table) (all []row) {
	t.Helper()
	for _, asked := range slices.Sorted(maps.Keys(table.Proofs)) {
		r := rowOf(t, asked)
		r.want = table.Proofs[asked]
		all = append(all, r)
	}
	for _, bug := range slices.Sorted(maps.Keys(table.Bugs)) {
		r := rowOf(t, table.Bugs[bug].Asked)
		require.Equal(t, []string{bug}, r.params.Bugs)
		r.name, r.bug, r.want = r.scenario.Name+" --bug "+bug, bug, table.Bugs[bug]
		all = append(all, r)
		r.name, r.control, r.params.Bugs = r.scenario.Name+" without "+bug, true, nil
		if r.want = (proofs.Search{}); table.Bugs[bug].Without != nil {
			r.want = *table.Bugs[bug].Without
		}
		all = append(all, r)
	}
	return all
}

// judged is the scenario with the claims that the row judges.
func (r *row) judged(table *proofs.Table) *testbed.Scenario {
	switch {
	case r.control:
		return only(r.scenario, table.Bugs[r.bug].Violated)
	case len(r.want.Claims) > 0:
		return only(r.scenario, r.want.Claims...)
	}
	return r.scenario
}

// rowOf puts together what simrun prove is asked for.
func rowOf(t *testing.T, asked string) row {
	t.Helper()
	words := strings.Fields(proofs.Flags(asked))
	sc, p := withSettings(t, words[0], "")
	r := row{name: asked, scenario: sc, params: p}
	set := map[string]bool{}
	for pair := range slices.Chunk(words[1:], 2) {
		require.Len(t, pair, 2, asked)
		name, value := strings.TrimPrefix(pair[0], "--"), pair[1]
		if name == "timer-bound" {
			var err error
			r.firings, err = strconv.Atoi(value)
			require.NoError(t, err, asked)
			continue
		}
		if name == "bug" {
			name = "bugs"
		}
		if name == "set" {
			name, value, _ = strings.Cut(value, "=")
			require.False(t, set[name], "%s is set twice in %s", name, asked)
			set[name] = true
		}
		require.NoError(t, r.params.Set(name, value), asked)
	}
	return r
}

// withSettings is a scenario with settings, NAME=VALUE.
func withSettings(t testing.TB, scenario, settings string) (*testbed.Scenario, testbed.Params) {
	t.Helper()
	sc, err := testbed.FindScenario(scenario)
	require.NoError(t, err)
	p := sc.Params
	for _, s := range strings.Fields(settings) {
		name, value, _ := strings.Cut(s, "=")
		require.NoError(t, p.Set(name, value))
	}
	return sc, p
}

// only is a scenario that claims nothing else.
func only(sc *testbed.Scenario, claims ...string) *testbed.Scenario {
	one := *sc
	one.Claims = slices.DeleteFunc(slices.Clone(sc.Claims), func(c *testbed.Property) bool { return !slices.Contains(claims, c.Name) })
	return &one
}
