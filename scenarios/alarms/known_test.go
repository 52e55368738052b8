package alarms

import (
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed"
)

var knownSchedules = flag.Uint64("known.schedules", 0, "schedules of each scenario at its defaults, and of each with each trait of which a row is known (0: a few)")

// schedulesOfACampaign are those of simrun run. With fewer, one that is to be found may be missed.
const schedulesOfACampaign = 6000

// set are the parameters of a scenario with one option set, in the words of the command line.
type set struct {
	flag string
	p    testbed.Params
}

// traits are as few options as make each row hold that a single one makes hold, and that does not hold at the defaults.
// The rows are those of all scenarios that are about what this one claims: what is known of a trait in one of them may
// be so in another.
func traits(t *testing.T, sc *testbed.Scenario, rows []testbed.Row) (found []set) {
	own, err := sc.Params.Setup()
	require.NoError(t, err)
	left := slices.DeleteFunc(slices.Clone(rows), func(r testbed.Row) bool {
		return r.Holds(own) || !slices.ContainsFunc(r.Violates, func(p *testbed.Property) bool { return slices.Contains(sc.Claims, p) })
	})
	try := func(name, value string) {
		p, err := sc.Params.With(name, value)
		require.NoError(t, err)
		s, err := p.Setup()
		require.NoError(t, err)
		before := len(left)
		if left = slices.DeleteFunc(left, func(r testbed.Row) bool { return r.Holds(s) }); len(left) < before {
			found = append(found, set{" --set " + name + "=" + value, p})
		}
	}
	for _, d := range campaigns.DesignsBeside(sc.Params.Cache) {
		try("cache", d.Name)
	}
	for _, v := range etcd.Versions() {
		try("etcd", v)
	}
	for _, c := range own.Nodes.Choices() {
		for _, value := range c.Values {
			try(c.Name, value)
		}
	}
	return found
}

// TestEachScenarioIsAsKnown is simrun run --expect of each scenario at its defaults, with a clock, and with the
// traits of which a row is known in any scenario: what is violated has a row, and with enough schedules what every
// campaign finds is found.
func TestEachScenarioIsAsKnown(t *testing.T) {
	var rows []testbed.Row
	told := map[string]bool{}
	for _, sc := range testbed.Scenarios() {
		for _, r := range slices.Concat(sc.Known, known.General(sc)) {
			// Scenarios have many rows in common.
			if is := fmt.Sprint(r.Because, r.Conditions(), testbed.Names(r.Violates)); !told[is] {
				rows, told[is] = append(rows, r), true
			}
		}
	}
	schedules := testsize.Flag(*knownSchedules, 40, 4)
	for k, sc := range testbed.Scenarios() {
		t.Run(sc.Name, func(t *testing.T) {
			t.Parallel()
			of := []set{{"", sc.Params}}
			if timed := sc.Params; timed.Clock.Mode == sim.Untimed {
				timed.UseClock()
				of = append(of, set{" with a clock", timed})
			}
			for i, x := range traits(t, sc, rows) {
				if *knownSchedules > 0 || (i+k)%testsize.Of(4, 48) == 0 {
					of = append(of, x)
				}
			}
			for _, x := range of {
				c := campaigns.Explored(t, sc, x.p, 0, schedules)
				o := known.OutcomeOf(sc, &x.p, campaigns.Violated(c))
				assert.Empty(t, o.Unexpected, "simrun run %s%s --expect, with %d schedules", sc.Name, x.flag, schedules)
				if schedules >= schedulesOfACampaign {
					assert.Empty(t, known.Names(o.Missing), "simrun run %s%s --expect, with %d schedules", sc.Name, x.flag, schedules)
				}
			}
			t.Logf("%d sets of parameters", len(of))
		})
	}
}
