package scenarios

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed"
)

// setups are the parameters of a scenario with each design on each version, with
// each design and a single value of a choice of etcd or its client library, with
// a single value of a choice of the cache, and with each design and a single value of
// anything else that the scenario draws: its rows are about draws, too.
func setups(t *testing.T, sc *testbed.Scenario) []*testbed.Setup {
	t.Helper()
	var all []*testbed.Setup
	add := func(p testbed.Params) {
		s, err := p.Setup()
		require.NoError(t, err)
		all = append(all, s)
	}
	for _, d := range cache.Designs() {
		for _, v := range etcd.Versions() {
			p := sc.Params
			p.Cache, p.Etcd = d.Name, v
			add(p)
		}
	}
	own, err := sc.Params.Setup()
	require.NoError(t, err)
	for _, c := range own.Nodes.Choices() {
		for _, value := range c.Values {
			p, err := sc.Params.With(c.Name, value)
			require.NoError(t, err)
			add(p)
			for _, d := range cache.Designs() {
				if c.Node != "cache" {
					p.Cache = d.Name
					add(p)
				}
			}
		}
	}
	for _, r := range sc.Draws {
		if slices.ContainsFunc(own.Nodes.Choices(), func(c testbed.Choice) bool { return c.Name == r.Name }) {
			continue
		}
		for _, value := range r.Values {
			for _, d := range cache.Designs() {
				p := sc.Params
				p.Cache = d.Name
				require.NoError(t, p.Set(r.Name, value))
				add(p)
			}
		}
	}
	return all
}

// TestEachUnmaskedRowHoldsSomewhere: a row that holds with no version, no design and no
// single option is not about its scenario. TestEachKnownRowIsNeeded says so of all others.
func TestEachUnmaskedRowHoldsSomewhere(t *testing.T) {
	for _, sc := range testbed.Scenarios() {
		rows := known.Unmasked(sc)
		if len(rows) == 0 {
			continue
		}
		unmasked := *sc
		for _, race := range testbed.Races() {
			unmasked.Params.Unmask = append(unmasked.Params.Unmask, race.Option)
		}
		all := setups(t, &unmasked)
		for _, r := range rows {
			assert.True(t, slices.ContainsFunc(all, func(s *testbed.Setup) bool { return r.Holds(s) }),
				"%s: %q never holds: %s", sc.Name, r.Because, strings.Join(r.Conditions(), " "))
		}
	}
}

// TestEachKnownRowIsNeeded: without the row something else is known of each of its
// properties, with some parameters. So it holds somewhere.
func TestEachKnownRowIsNeeded(t *testing.T) {
	for _, sc := range testbed.Scenarios() {
		if len(sc.Known) == 0 {
			continue
		}
		all := setups(t, sc)
		for i, r := range sc.Known {
			others := slices.Delete(slices.Clone(sc.Known), i, i+1)
			for _, p := range r.Violates {
				assert.True(t, slices.ContainsFunc(all, func(s *testbed.Setup) bool {
					return r.Holds(s) && !slices.ContainsFunc(others, func(o testbed.Row) bool {
						return slices.Contains(o.Violates, p) && (!o.Rarely || r.Rarely) && o.Holds(s)
					})
				}), "%s: %q never holds, or other rows say all that it says of %s: %s", sc.Name, r.Because, p.Name, strings.Join(r.Conditions(), " "))
			}
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
