package explain_test

import (
	"fmt"
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
	"github.com/watchbed/watchbed/knownbugs"
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
	for i := 0; i < len(all); i += testsize.Of(1, 5, 5) {
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

// TestNamesOfSeveralKindsAreExplainedAsEach: the bug and the scenario about it have
// one name.
func TestNamesOfSeveralKindsAreExplainedAsEach(t *testing.T) {
	kinds := func(name string) (kinds []string) {
		all, err := explain.Name("simrun", name)
		require.NoError(t, err)
		for _, e := range all {
			kinds = append(kinds, e.Kind)
		}
		return kinds
	}
	assert.Equal(t, []string{"scenario", "known bug"}, kinds("issue-15220"))
	assert.Equal(t, []string{"scenario", "option"}, kinds("shared-stream"))
	assert.Equal(t, []string{"scenario", "option", "value", "value"}, kinds("watch-list"), "a list of the reflector, and one of an informer")
	assert.Empty(t, kinds("no-such-name"))
}

// TestAnOptionSaysWhichReleasesHaveAValue: the releases are those that etcd's change
// log names.
func TestAnOptionSaysWhichReleasesHaveAValue(t *testing.T) {
	text := flat(explained(t, "option", "progress"))
	assert.Contains(t, text, "etcd 3.3 from 3.3.14 on, 3.4.0 to 3.4.24, 3.5.0 to 3.5.7 the known bug issue-15220")
	assert.Contains(t, text, "etcd 3.4.25 to 3.4.30, 3.5.8 to 3.5.12 the known bug issue-17507")
	assert.Contains(t, text, "etcd 3.4 from 3.4.38 on, 3.5 from 3.5.22 on, 3.6 from 3.6.2 on, 3.7")
	assert.Contains(t, flat(explained(t, "option", "created")), "in-order through the watch channel: no release every scenario but those that unmask it")
	assert.Contains(t, flat(explained(t, "option", "on-timeout")), "designs kep-2340-fallback, single-request, dynamic-fallback, kep-4988, v0.37.2")
	assert.Contains(t, flat(explained(t, "option", "ring")), "default: 100")
	assert.Contains(t, flat(explained(t, "value", "ring=7")), "events that a cache remembers")
}

// TestHowSoonABugShowsIsTheMeasuredFigure: wherever the bug is named with its scenario.
func TestHowSoonABugShowsIsTheMeasuredFigure(t *testing.T) {
	f, ok := knownbugs.FigureOf("kubernetes-58545")
	require.True(t, ok)
	require.Equal(t, "resumed-watch", f.Scenario)
	soon := fmt.Sprintf("median %d schedules, within %d in 95 of 100 campaigns", f.Median, f.Bound95)
	shows := "shows in resumed-watch, by ordered: " + soon
	assert.Contains(t, flat(explained(t, "known bug", "kubernetes-58545")), "how soon: "+soon)
	assert.Contains(t, flat(explained(t, "known bug", "kubernetes-58545")), "deletion-rv=previous (cache) decides: the resourceVersion of a DELETED event the one that the object had before")
	assert.Contains(t, flat(explained(t, "scenario", "resumed-watch")), "kubernetes-58545 ordered: "+soon)
	assert.Contains(t, flat(explained(t, "option", "deletion-rv")), "the known bug kubernetes-58545, which "+shows)
	assert.Contains(t, flat(explained(t, "value", "deletion-rv=previous")), shows)
	assert.Contains(t, flat(explained(t, "property", "ordered")), "how soon: "+soon)
	assert.Contains(t, flat(explained(t, "Kubernetes release", "1.9")), shows)
	assert.Contains(t, flat(explained(t, "etcd release", "3.5.7")), "shows in consistent-list, by linearizable-data: median")
	for _, f := range knownbugs.Figures() {
		assert.NotContains(t, flat(explained(t, "known bug", f.Bug)), "not measured", f.Bug)
	}
}

// TestBugsOfAPropertyComeSoonestFirst: by the medians of the figures.
func TestBugsOfAPropertyComeSoonestFirst(t *testing.T) {
	text := explained(t, "property", "answers-in-time")
	soon, late := strings.Index(text, "\n  kubernetes-123674 "), strings.Index(text, "\n  issue-17507 ")
	require.Positive(t, soon)
	require.Greater(t, late, soon)
}

// TestAKubernetesReleaseIsExplained: which fixes it has follows from the releases that
// a bug names, of which the last one holds for all later branches.
func TestAKubernetesReleaseIsExplained(t *testing.T) {
	const fixed = "fixed in it: "
	fixedIn := func(name string) string {
		text := flat(explained(t, "Kubernetes release", name))
		require.Contains(t, text, fixed, name)
		return text[strings.Index(text, fixed):]
	}
	// kubernetes-123532 was fixed in 1.28.8, 1.29.3 and 1.30.
	for _, name := range []string{"1.28.8", "1.29.3", "1.30", "v1.30.0", "kubernetes-1.31", "0.34", "1.37"} {
		assert.Contains(t, fixedIn(name), "kubernetes-123532", name)
	}
	for _, name := range []string{"1.27.9", "1.28", "1.28.7", "1.29.2"} {
		assert.NotContains(t, fixedIn(name), "kubernetes-123532", name)
	}
	assert.NotContains(t, fixedIn("1.18"), "kubernetes-91073", "client-go 0.19 is of 1.19")
	assert.Contains(t, fixedIn("1.19"), "kubernetes-91073")
	assert.Contains(t, flat(explained(t, "Kubernetes release", "1.37")), "simulated as: the cache design v0.37.2")
	assert.Contains(t, flat(explained(t, "Kubernetes release", "1.31")), "on-timeout=fallback etcd answers: the default since Kubernetes 1.31")
	for _, name := range []string{"1.99", "v0.37.2", "3.5.7", "1"} {
		all, err := explain.Name("simrun", name)
		require.NoError(t, err)
		for _, e := range all {
			assert.NotEqual(t, "Kubernetes release", e.Kind, name)
		}
	}
}

// TestAReleaseBeginsWithItsBugs: #18667 was fixed in 3.7.0, and the race of Created was not reported.
func TestAReleaseBeginsWithItsBugs(t *testing.T) {
	text := flat(explained(t, "etcd release", "3.6.16"))
	bugs, findings, options := strings.Index(text, "known bugs that it has: "), strings.Index(text, "findings about it"), strings.Index(text, "progress=dropped-below-start")
	require.True(t, 0 < bugs && bugs < findings && findings < options, text)
	assert.Contains(t, text, "affected: 3.3, 3.4, 3.5, 3.6 reported: etcd-io/etcd#18667")
	assert.Contains(t, text[findings:], "affected: Every release with the fix of etcd-io/etcd#15220")
	assert.Contains(t, text[findings:], "reported: We found no report.")
	assert.NotContains(t, text[findings:], "lagging-member-before-list", "that is for releases before 3.6.2")
	assert.Contains(t, flat(explained(t, "etcd release", "3.6.1")), "lagging-member-before-list")
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

// TestADesignSaysWhatItChanges names the value that it takes the place of.
func TestADesignSaysWhatItChanges(t *testing.T) {
	assert.Contains(t, flat(explained(t, "cache design", "direct")), "instead of consistent: ")
	assert.Contains(t, explained(t, "cache design", "kep-2340"), "no option")
}

func TestAReleaseThatIsNotListedIsExplained(t *testing.T) {
	text := flat(explained(t, "etcd release", "v3.5.9"))
	assert.Contains(t, text, "behaves the same as: 3.4.25 to 3.4.30, 3.5.8 to 3.5.12")
	assert.Contains(t, text, "known bugs that it has: ")
	assert.Contains(t, text, "issue-17507")
	assert.NotContains(t, text, "issue-15220")
}

func TestAnIssueIsFoundByItsShortNames(t *testing.T) {
	for _, name := range []string{"etcd-io/etcd#15220", "etcd#15220", "#15220", "15220"} {
		assert.Contains(t, explained(t, "known bug", name), "known bug issue-15220: ")
	}
	assert.Contains(t, explained(t, "known bug", "kubernetes#58545"), "known bug kubernetes-58545: ")
	for _, name := range []string{"", "#", "5220", "kubernetes#15220"} {
		all, err := explain.Name("simrun", name)
		require.NoError(t, err)
		assert.Empty(t, all, name)
	}
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

func TestAReleaseThatIsNotKnownSaysHowItBehaves(t *testing.T) {
	assert.Contains(t, flat(explained(t, "etcd release", "3.5.40")), "it is newer than 3.5.35, the newest release known of its branch, and behaves as that one")
	assert.NotContains(t, explained(t, "etcd release", "3.5.35"), "newer than")
	assert.Contains(t, flat(explained(t, "etcd release", "3.5.12")), "what syncWatchers does with a compacted watcher whose channel is full: ", "the question stands before the answer")
}

func TestAWrongValueIsRefused(t *testing.T) {
	_, err := explain.Name("simrun", "progress=droped")
	assert.EqualError(t, err, `progress has no value "droped"; did you mean "dropped"?`)
	_, err = explain.Name("simrun", "ring=many")
	assert.ErrorContains(t, err, "want a whole number")
}

func TestUnknownNamesTheNearest(t *testing.T) {
	assert.EqualError(t, explain.Unknown("simrun", "kubernetes-5854"), `nothing is called "kubernetes-5854"; did you mean "kubernetes-58545"?`)
	assert.EqualError(t, explain.Unknown("simrun", "stratgies", "strategies"), `nothing is called "stratgies"; did you mean "strategies"?`)
	assert.Equal(t, "a scenario and an option", explain.Misnamed("shared-stream"))
	assert.Empty(t, explain.Misnamed("no-such-name"))
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
