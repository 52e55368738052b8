package scenarios

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed"
)

// setups are the parameters of a scenario with each design on each version, with each design and a single value of a
// choice of etcd or its client library, with a single value of a choice of the cache, and with each design or on each
// version and a single value of anything else that the scenario draws, and with whole draws: its rows are about draws,
// too. They end when yield reports false: thousands of setups take seconds, and most rows hold with one of the first.
func setups(t *testing.T, sc *testbed.Scenario, yield func(*testbed.Setup) bool) {
	t.Helper()
	add := func(p testbed.Params) bool {
		s, err := p.Setup()
		require.NoError(t, err)
		return yield(s)
	}
	designs, versions := campaigns.DesignsBeside(sc.Params.Cache), etcd.Versions()
	for _, d := range designs {
		for _, v := range versions {
			p := sc.Params
			p.Cache, p.Etcd = d.Name, v
			if !add(p) {
				return
			}
		}
	}
	own, err := sc.Params.Setup()
	require.NoError(t, err)
	choices := own.Nodes.Choices()
	for _, c := range choices {
		for _, value := range c.Values {
			p, err := sc.Params.With(c.Name, value)
			require.NoError(t, err)
			if !add(p) {
				return
			}
			for _, d := range designs {
				if c.Node == "cache" {
					break
				}
				if p.Cache = d.Name; !add(p) {
					return
				}
			}
		}
	}
	timed := sc.Params
	if timed.UseClock(); !add(timed) {
		return
	}
	for _, r := range sc.Draws {
		if slices.ContainsFunc(choices, func(c testbed.Choice) bool { return c.Name == r.Name }) {
			continue
		}
		for _, value := range r.Values {
			for _, d := range designs {
				p := sc.Params
				p.Cache = d.Name
				require.NoError(t, p.Set(r.Name, value))
				if !add(p) {
					return
				}
			}
			for _, v := range versions {
				p := sc.Params
				p.Etcd = v
				require.NoError(t, p.Set(r.Name, value))
				if !add(p) {
					return
				}
			}
		}
	}
	if len(sc.Draws) == 0 {
		return
	}
	for n := range uint64(wholeDraws) {
		for _, v := range versions {
			p, err := sc.Draw(n, func(p *testbed.Params) error { return p.Set("etcd", v) })
			require.NoError(t, err)
			if !add(p) {
				return
			}
		}
	}
}

// wholeDraws is how many draws a row is looked for in that holds with no single option.
const wholeDraws = 20

// missed are those rows that hold with none of the setups of a scenario: holds is asked about
// each row, by its place, until it says yes.
func missed(t *testing.T, sc *testbed.Scenario, rows int, holds func(row int, s *testbed.Setup) bool) []int {
	t.Helper()
	left := make([]int, rows)
	for i := range left {
		left[i] = i
	}
	if rows == 0 {
		return nil
	}
	setups(t, sc, func(s *testbed.Setup) bool {
		left = slices.DeleteFunc(left, func(i int) bool { return holds(i, s) })
		return len(left) > 0
	})
	return left
}

// TestEachUnmaskedRowHoldsSomewhere: a row that holds with no version, no design and no
// single option is not about its scenario. TestEachKnownRowIsNeeded says so of all others.
func TestEachUnmaskedRowHoldsSomewhere(t *testing.T) {
	for _, sc := range testbed.Scenarios() {
		rows := known.Unmasked(sc)
		unmasked := *sc
		for _, race := range testbed.Races() {
			unmasked.Params.Unmask = append(unmasked.Params.Unmask, race.Option)
		}
		for _, i := range missed(t, &unmasked, len(rows), func(i int, s *testbed.Setup) bool { return rows[i].Holds(s) }) {
			assert.Fail(t, "the row never holds", "%s: %q: %s", sc.Name, rows[i].Because, strings.Join(rows[i].Conditions(), " "))
		}
	}
}

// mostExcused is in how many scenarios a row may excuse a claim, with the parameters that they have.
const mostExcused = 4

// TestNoRowExcusesManyScenarios: where a violation is known to come now and then, another cause of one is not
// noticed. A bug that all new releases have is set aside in the scenarios that are not about it, as
// compact-recreated=kept does.
func TestNoRowExcusesManyScenarios(t *testing.T) {
	excused := map[string][]string{}
	for _, sc := range testbed.Scenarios() {
		for _, v := range known.Violations(sc, &sc.Params) {
			for _, because := range v.Because {
				if in := excused[because]; v.Rarely && !slices.Contains(in, sc.Name) {
					excused[because] = append(in, sc.Name)
				}
			}
		}
	}
	for because, in := range excused {
		assert.LessOrEqual(t, len(in), mostExcused, "%s: %v", because, in)
	}
}

// isOfWholeServers reports whether no etcd of this module meets a condition.
func isOfWholeServers(c testbed.Condition) bool { return c.String() == known.SeveralMembers.String() }

// TestEachKnownRowIsNeeded: without the row something else is known of each of its
// properties, with some parameters. So it holds somewhere.
func TestEachKnownRowIsNeeded(t *testing.T) {
	// says is what one row says of one property.
	type says struct {
		row testbed.Row
		of  *testbed.Property
		// others are the rows that say as much or more of the property.
		others []testbed.Row
	}
	for _, sc := range testbed.Scenarios() {
		var all []says
		for i, r := range sc.Known {
			if slices.ContainsFunc(r.When, isOfWholeServers) {
				// The module upstream has those, and needs the row (TestCatalogueOnWholeServers).
				continue
			}
			for _, p := range r.Violates {
				others := slices.DeleteFunc(slices.Delete(slices.Clone(sc.Known), i, i+1), func(o testbed.Row) bool {
					return !slices.Contains(o.Violates, p) || o.Rarely && !r.Rarely
				})
				all = append(all, says{r, p, others})
			}
		}
		for _, i := range missed(t, sc, len(all), func(i int, s *testbed.Setup) bool {
			return all[i].row.Holds(s) && !slices.ContainsFunc(all[i].others, func(o testbed.Row) bool { return o.Holds(s) })
		}) {
			assert.Fail(t, "the row is not needed", "%s: %q never holds, or other rows say all that it says of %s: %s",
				sc.Name, all[i].row.Because, all[i].of.Name, strings.Join(all[i].row.Conditions(), " "))
		}
	}
}

// TestKnownRowsAreAboutClaims: of other properties a campaign finds nothing.
func TestKnownRowsAreAboutClaims(t *testing.T) {
	for _, sc := range testbed.Scenarios() {
		for _, r := range sc.Known {
			assert.NotEmpty(t, r.Violates, "%s: %q", sc.Name, r.Because)
			for _, p := range r.Violates {
				assert.Contains(t, testbed.Names(sc.Claims), p.Name, "%s: %q", sc.Name, r.Because)
			}
		}
	}
}

// allConditions are those of all rows, by their sentences.
func allConditions() map[string]testbed.Condition {
	all := map[string]testbed.Condition{}
	for _, sc := range testbed.Scenarios() {
		for _, r := range known.Rows(sc) {
			for _, c := range r.When {
				all[c.String()] = c
			}
		}
	}
	return all
}

// oneValue is the end of the sentence of a condition that is one value of one option.
var oneValue = regexp.MustCompile(`^([^()]*) \(([a-z-]+)=([a-z0-9-]+)\)$`)

// TestConditionsNameTheirOption: a condition that names a value of an option holds
// with that value, and with no other.
func TestConditionsNameTheirOption(t *testing.T) {
	found := 0
	for text, c := range allConditions() {
		m := oneValue.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		found++
		own, err := ConsistentList.Params.Setup()
		require.NoError(t, err)
		choices := own.Nodes.Choices()
		i := slices.IndexFunc(choices, func(c testbed.Choice) bool { return c.Name == m[2] })
		require.GreaterOrEqual(t, i, 0, text)
		require.Contains(t, choices[i].Values, m[3], text)
		for _, value := range choices[i].Values {
			p, err := ConsistentList.Params.With(m[2], value)
			require.NoError(t, err)
			s, err := p.Setup()
			require.NoError(t, err)
			exception := strings.HasPrefix(text, "unless ")
			assert.Equal(t, (value == m[3]) != exception, c.Holds(s), "%s: with %s", text, value)
		}
	}
	assert.Greater(t, found, 15)
}

var (
	riddles = regexp.MustCompile(`(?i)\b(who|whom|whose own|whoever|somebody|nobody|anybody|in vain|for want of)\b`)
	issue   = regexp.MustCompile(`#\d+`)
	full    = regexp.MustCompile(`(etcd-io/etcd|kubernetes/kubernetes)#\d+`)
)

// TestKnownRowsArePlainSentences holds reasons and conditions to the form in which
// the command line prints them: "when ..., because ...".
func TestKnownRowsArePlainSentences(t *testing.T) {
	texts := map[string]bool{}
	for _, sc := range testbed.Scenarios() {
		for _, r := range known.Rows(sc) {
			texts[r.Because] = true
		}
	}
	for text := range allConditions() {
		texts[text] = true
	}
	for text := range texts {
		assert.Greater(t, len(text), 10, text)
		assert.Less(t, len(text), 170, text)
		assert.NotRegexp(t, `[.;]$`, text, "no full stop")
		assert.NotRegexp(t, `\. `, text, "one sentence")
		assert.NotRegexp(t, riddles, text)
		assert.Len(t, full.FindAllString(text, -1), len(issue.FindAllString(text, -1)), "%s: name the repository of an issue", text)
	}
}
