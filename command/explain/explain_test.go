package explain_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/command/explain"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/findings"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/metric"
	_ "github.com/watchbed/watchbed/properties"
	"github.com/watchbed/watchbed/report"
	_ "github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// explained is what a name means as one kind of thing, as text.
func explained(t *testing.T, kind, name string) string {
	t.Helper()
	all, err := explain.Name("simrun", name)
	require.NoError(t, err, name)
	i := slices.IndexFunc(all, func(e explain.Explanation) bool { return e.Kind == kind })
	require.GreaterOrEqual(t, i, 0, "%s is not explained as %s", name, kind)
	assert.NotEmpty(t, all[i].Summary, name)
	var b strings.Builder
	require.NoError(t, explain.WriteText(&b, report.Terminal{}, all[i:i+1]))
	for line := range strings.Lines(b.String()) {
		line = strings.TrimSuffix(line, "\n")
		assert.LessOrEqual(t, utf8.RuneCountInString(line), 100, "%s: %s", name, line)
		assert.Equal(t, strings.TrimRight(line, " "), line, name)
	}
	return b.String()
}

// flat is a text without line breaks.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// some are all of a kind at full size, else every fifth.
func some[T any](all []T) (some []T) {
	for i := 0; i < len(all); i += testsize.Of(1, 5) {
		some = append(some, all[i])
	}
	return some
}

// TestEveryRegisteredNameIsExplained looks at what is registered, not at a list.
func TestEveryRegisteredNameIsExplained(t *testing.T) {
	for _, sc := range some(testbed.Scenarios()) {
		text := flat(explained(t, "scenario", sc.Name))
		assert.Contains(t, text, flat(sc.Summary))
		assert.Contains(t, text, flat(sc.Doc))
		for _, claim := range sc.Claims {
			assert.Contains(t, text, claim.Name)
		}
	}
	for _, o := range some(testbed.Describe()) {
		text := flat(explained(t, "option", o.Name))
		assert.Contains(t, text, o.Doc)
		assert.Contains(t, text, "of: "+o.Node)
		assert.Contains(t, text, "default: ")
		for _, v := range o.Values {
			assert.Contains(t, text, flat(v.Name+" "+v.Doc))
			assert.Contains(t, flat(explained(t, "value", o.Name+"="+v.Name)), v.Doc)
			explained(t, "value", v.Name)
		}
		explained(t, "options of", o.Node)
	}
	for _, p := range some(findings.All()) {
		text := flat(explained(t, "finding", p.Name))
		assert.Contains(t, text, p.Title)
		assert.Contains(t, text, "story: 1. ")
		assert.Contains(t, text, "to see it: simrun run ")
		assert.NotContains(t, text, "](", "no links of Markdown")
		for _, row := range p.Measured() {
			assert.Contains(t, text, row[0])
			assert.Contains(t, text, row[1]+": "+row[2]+", "+row[3])
		}
		for _, fact := range []string{"affected: ", "first good: ", "removed by: ", "exposed: ", "proposed: ", "reported: ", "the page: " + p.Path()} {
			assert.Contains(t, text, fact)
		}
	}
	for _, b := range some(testbed.KnownBugs()) {
		text := flat(explained(t, "known bug", b.Name))
		assert.Contains(t, text, b.Summary)
		assert.Contains(t, text, b.Setting)
		assert.Contains(t, text, "simrun run ")
		if b.Issue != "" {
			assert.Contains(t, text, "issue: "+b.Issue)
			explained(t, "known bug", b.Issue)
		}
		assert.Contains(t, text, flat(b.Scenario.Name+" "+b.Property.Name+": "+b.Why))
		assert.Contains(t, flat(explained(t, "property", b.Property.Name)), b.Name)
	}
	for _, d := range some(cache.Designs()) {
		text := flat(explained(t, "cache design", d.Name))
		for _, s := range d.Settings {
			assert.Contains(t, text, s.String())
		}
	}
	for _, v := range some(etcd.Versions()) {
		assert.Contains(t, explained(t, "etcd release", v), "--etcd "+v)
	}
	for _, p := range some(testbed.Properties()) {
		text := flat(explained(t, "property", p.Name))
		assert.Contains(t, text, p.Promise)
		assert.Contains(t, text, "kind: "+p.Kind.String())
	}
	for _, s := range some(strategy.All()) {
		assert.Contains(t, explained(t, "strategy", s.Name), s.Summary)
	}
	for _, m := range some(metric.All()) {
		explained(t, "metric", m.String())
	}
}

// TestWhatTellsAValueFromAnother: a scenario in which the reference is violated as well
// says nothing of the design.
func TestWhatTellsAValueFromAnother(t *testing.T) {
	const label = "scenarios known to be violated with it, and not with "
	text := explained(t, "cache design", "v0.37.2")
	_, list, found := strings.Cut(text, label+"kep-2340:\n")
	require.True(t, found, text)
	list, _, _ = strings.Cut(list, "\n\n")
	assert.Contains(t, flat(list), "lost-value exact because the digest does not have the value")
	assert.NotContains(t, explained(t, "cache design", "kep-2340"), label)
	old := explained(t, "etcd release", "3.5.7")
	_, list, _ = strings.Cut(old, label)
	list, _, _ = strings.Cut(list, "\n\n")
	for _, name := range []string{"issue-15220", "future-watch"} {
		assert.Contains(t, list, name)
	}
	assert.NotContains(t, list, "lost-value", "violated with the newest etcd, too")
	assert.NotContains(t, explained(t, "etcd release", etcd.Versions()[len(etcd.Versions())-1]), label)
}

// TestEveryWordForAViolationIsExplained: labels and the words of the matrix.
func TestEveryWordForAViolationIsExplained(t *testing.T) {
	for _, p := range testbed.Properties() {
		assert.Contains(t, flat(explained(t, "violation", p.Violated)), p.Name+" ")
		for label, words := range p.Labels {
			assert.Contains(t, flat(explained(t, "violation", label)), p.Name+" ")
			assert.Contains(t, flat(explained(t, "violation", words)), label)
		}
	}
	assert.Contains(t, explained(t, "violation", "missing-write"), "the matrix calls it: stale read\n")
	assert.Contains(t, flat(explained(t, "violation", "stale read")), "label in the names of replay files: missing-write")
	explained(t, "violation", "premature-write")
	explained(t, "violation", "ghost")
}

func init() {
	cache.RegisterDesign(cache.Design{
		Preset: option.Preset{Name: "of-a-test", Doc: "a node of its own", Settings: option.Settings("ring=5")},
		New:    func(cache.Config) sim.Node { return nil },
	})
}

// TestWhatIsRegisteredElsewhereIsExplained: a design of another package is in its own
// explanation and in that of the option that it sets.
func TestWhatIsRegisteredElsewhereIsExplained(t *testing.T) {
	assert.Contains(t, flat(explained(t, "cache design", "of-a-test")), "node: one of its own")
	assert.Contains(t, flat(explained(t, "option", "ring")), "5 design of-a-test")
}
