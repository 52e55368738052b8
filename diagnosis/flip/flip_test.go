package flip

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/recording"
	_ "github.com/watchbed/watchbed/internal/testsize"
	_ "github.com/watchbed/watchbed/knownbugs"
	"github.com/watchbed/watchbed/scenarios"

	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// open makes a search of one of the recordings that stories are told of.
func open(t *testing.T, name, property string) *search {
	t.Helper()
	rec, err := recording.Open(filepath.Join("..", "..", "report", "testdata", "stories", name+".json"))
	require.NoError(t, err)
	sc, err := testbed.FindScenario(rec.Scenario)
	require.NoError(t, err)
	p, err := sc.RecordedParams(rec.Parameters)
	require.NoError(t, err)
	for _, f := range rec.Violations() {
		if f.Property == property {
			return &search{scenario: sc, params: p, rec: rec, failure: f}
		}
	}
	t.Fatalf("%s is not violated in %s", property, name)
	return nil
}

func (s *search) decision() string {
	o := Decide(s.scenario, s.params, s.rec, s.failure)
	return o.String()
}

func TestReleases(t *testing.T) {
	p := scenarios.Issue15220.Params
	b, err := p.Nodes()
	require.NoError(t, err)
	of := func(name string) testbed.Choice {
		i := slices.IndexFunc(b.Choices(), func(d testbed.Choice) bool { return d.Name == name })
		return b.Choices()[i]
	}
	for _, c := range []struct{ etcd, option, value, want string }{
		{"3.5.7", "progress", "deferred", "etcd 3.5.8 to 3.5.12"},
		{"3.5.7", "progress", "dropped-below-start", "etcd 3.5 from 3.5.22 on"},
		{"3.3.27", "progress", "deferred", "etcd 3.4.25 to 3.4.30"},
		{"3.7.3", "progress", "dropped", "etcd 3.6 up to 3.6.1"},
		{"3.5.35", "progress", "dropped", "etcd 3.5.13 to 3.5.21"},
		{"3.5.13", "progress", "control-queue", "etcd 3.5 up to 3.5.7"},
		{"3.6.0", "progress", "control-queue", "etcd 3.5 up to 3.5.7"},
		{"3.5.7", "created", "in-order", "which no release has"},
		{"3.5.7", "progress", "control-queue", "etcd 3.5.7 as released"},
		{"3.5.7", "resume-revision", "after-header", "clientv3 3.5 from 3.5.8 on"},
		{"3.5.7", "freshness", "direct", "as in the design direct"},
	} {
		p.Etcd = c.etcd
		require.Equal(t, c.want, releases(scenarios.Issue15220, p, of(c.option), c.value).text, "%+v", c)
	}
	// What the scenario puts aside is no remedy, a bug that is taken away is one.
	p.Etcd = "3.5.13"
	require.False(t, releases(scenarios.Issue15220, p, of("created"), "past-channel").later)
	p.Settings = option.Settings("progress=control-queue")
	require.True(t, releases(scenarios.Issue15220, p, of("progress"), "dropped").later)
}

// TestFlipDecidesOnlyIfOtherRunsAgree: a flip that only moves this run away from the violation decides nothing.
func TestFlipDecidesOnlyIfOtherRunsAgree(t *testing.T) {
	for _, c := range []struct {
		trial
		convincing, plausible bool
	}{
		{trial{taken: 10, recorded: 10}, false, false},
		{trial{taken: 10, recorded: 10, gone: 1}, true, true},
		{trial{taken: 8, recorded: 10, gone: 1}, false, false},
		{trial{taken: 10, recorded: 10, gone: 1, still: 1}, false, true},
		{trial{taken: 5, recorded: 10, gone: 12}, true, false},
		{trial{taken: 4, recorded: 10, gone: 12}, false, false},
		{trial{taken: 10, recorded: 10, gone: 9, still: 3}, true, true},
		{trial{taken: 10, recorded: 10, gone: 8, still: 3}, false, true},
		{trial{taken: 10, recorded: 10, gone: 1, still: 6}, false, false},
	} {
		require.Equal(t, c.convincing, c.trial.convincing(), "%+v", c)
		require.Equal(t, c.plausible, c.trial.plausible(), "%+v", c)
	}
}

// TestTheCountEndsWhereNothingSpeaks: more failures make no trial better, so the other
// schedules are run only as long as their number may matter.
func TestTheCountEndsWhereNothingSpeaks(t *testing.T) {
	s := open(t, "issue-15220", "linearizable-data")
	s.look()
	require.GreaterOrEqual(t, s.others.failing, enough)
	// Nothing is changed, so that as many schedules fail as before.
	for _, c := range []struct {
		trial
		failing int
	}{
		{trial{taken: 10, recorded: 10, gone: 1}, s.others.failing*3/4 + 1},
		{trial{taken: 5, recorded: 10, gone: 12}, s.others.failing/4 + 1},
		{trial{taken: 10, recorded: 10, gone: 1, still: 6}, 0},
	} {
		v := c.trial
		runner, err := s.scenario.Runner(s.params)
		require.NoError(t, err)
		s.count(runner, &v)
		require.Equal(t, s.others.failing, v.before)
		require.Equal(t, c.failing, v.failing, "%+v", c.trial)
	}
}

// TestWhatPassesByChanceIsNamed: if nothing is sure to decide, the value with which most of
// the schedule fits and passes is told, and not that there is none.
func TestWhatPassesByChanceIsNamed(t *testing.T) {
	s := &search{}
	of := func(value string) candidate {
		return candidate{Choice: testbed.Choice{Node: "etcd", Name: "x", Value: value}}
	}
	s.doubt(of("a"), []trial{{name: "b", taken: 20, recorded: 67}})
	require.Nil(t, s.maybe, "the schedule went elsewhere early")
	s.doubt(of("a"), []trial{{name: "b", taken: 60, recorded: 67, gone: 1, still: 2}})
	require.Nil(t, s.maybe, "other schedules still fail")
	s.doubt(of("a"), []trial{{name: "b", taken: 60, recorded: 67, before: 4, failing: 4}})
	require.Nil(t, s.maybe, "schedules fail as often")
	s.doubt(of("a"), []trial{{name: "b", taken: 60, recorded: 67, since: span{text: "etcd from 3.5.16 on"}}})
	s.doubt(of("c"), []trial{{name: "d", taken: 40, recorded: 67}})
	require.Equal(t, "No setting is sure to decide. With x=b (etcd from 3.5.16 on) replaying the same schedule (60 of 67 recorded choices fit) passes: too little to tell that from chance.", s.maybe.doubt())
}

// TestFlipMustRemoveTheViolation: a behaviour that has nothing to do with it
// leaves it.
func TestFlipMustRemoveTheViolation(t *testing.T) {
	s := open(t, "issue-15220", "linearizable-data")
	require.False(t, s.try(with(t, s.params, "restore-tombstone", "indexed"), &trial{}))
	var v trial
	require.True(t, s.try(with(t, s.params, "progress", "dropped"), &v))
	require.True(t, v.fits())
}

// TestNoCandidateGoesAroundTheCache: with no cause at etcd, another design that has
// etcd answer, or that asks it in another way, is no remedy.
func TestNoCandidateGoesAroundTheCache(t *testing.T) {
	s := open(t, "bug-issue-15220", "cache-matches-etcd")
	require.True(t, s.try(with(t, s.params, "freshness", "direct"), &trial{}), "it would make the violation go away")
	for _, c := range s.candidates() {
		if c.Node == "cache" {
			require.Empty(t, s.remedies(&c), c.Name)
		}
	}
}

// TestFlipNamesThePlantedBug: a planted bug that decides is named, with the
// release that fixed it. That another etcd would hide it, is not said.
func TestFlipNamesThePlantedBug(t *testing.T) {
	for _, c := range []struct{ recording, property, want string }{
		{"bug-version-before-store", "linearizable-data", "One behaviour of the cache decides: publication=version-first (the bug version-before-store). With publication=whole replaying"},
		{"bug-kubernetes-59848", "monotonic", "freshness=none (the bug kubernetes-59848). With freshness=consistent (as fixed in Kubernetes 1.31) replaying"},
	} {
		require.Contains(t, open(t, c.recording, c.property).decision(), c.want, c.recording)
	}
}

// TestFlipNeverAdvisesAPlantedBug: no story advises a broken cache, however well it hides the
// violation.
func TestFlipNeverAdvisesAPlantedBug(t *testing.T) {
	require.Contains(t, open(t, "issue-15220", "linearizable-data").decision(), "One behaviour of etcd decides: progress=control-queue.")
	require.NotNil(t, knownBug("cache", "publication", "version-first"))
	require.Nil(t, knownBug("cache", "publication", "whole"))
	require.Nil(t, knownBug("etcd", "progress", "control-queue"), "versions of etcd differ in it: any of them may be the remedy")
}

// with are parameters with one option of the nodes set.
func with(t *testing.T, p testbed.Params, name, value string) testbed.Params {
	t.Helper()
	changed, err := p.With(name, value)
	require.NoError(t, err)
	return changed
}

// TestASwitchDoesNotDecide: where the schedule passes only with values that leave the code of the option out, the
// option is needed, and what is wrong may be anywhere in that code.
func TestASwitchDoesNotDecide(t *testing.T) {
	on := candidate{Choice: testbed.Choice{Node: "cache", Name: "snapshots", Value: "on", Values: []string{"off", "on"}, Off: []string{"off"}}}
	d := decisionOf(on, []trial{{name: "off", taken: 10, recorded: 10, gone: 12}})
	require.True(t, d.switches())
	require.Equal(t, "No setting decides, but the violation needs one of the cache: snapshots=on. With snapshots=off that code does not run, "+
		"and replaying the same schedule passes; 12 other failing schedules pass as well.", d.String())
	other := decisionOf(candidate{Choice: testbed.Choice{Node: "cache", Name: "x", Value: "b"}}, []trial{{name: "a", taken: 10, recorded: 10, gone: 9, still: 3}})
	require.False(t, other.switches())
	require.Negative(t, other.rank(d), "it explains fewer schedules, but is more than a switch")
	other.promised = true
	require.True(t, other.switches(), "what is released keeps the promise")
	require.Equal(t, "No setting decides, but the violation needs one of the cache: x=b. With x=a replaying the same schedule passes; 9 of 12 other failing schedules pass as well.", other.String())
	s := &search{scenario: scenarios.ConcurrentDecoding, params: scenarios.ConcurrentDecoding.Params}
	serial := candidate{Choice: testbed.Choice{Node: "client", Name: "watch-decode", Value: "serial"}}
	require.False(t, s.released(&serial), "clientv3 3.7.3 has another value")
	serial.Off = []string{"serial"}
	require.True(t, s.released(&serial), "the code of the option does not run")
	on.planted = true
	require.False(t, decisionOf(on, []trial{{name: "off", taken: 10, recorded: 10, gone: 12}}).switches())
	for _, node := range []testbed.Choice{{Node: "cache", Name: "slow-watchers"}, {Node: "etcd", Name: "progress"}} {
		n, err := scenarios.Issue15220.Params.Nodes()
		require.NoError(t, err)
		i := slices.IndexFunc(n.Choices(), func(c testbed.Choice) bool { return c.Name == node.Name })
		require.Len(t, n.Choices()[i].Off, 1, node.Name)
	}
}
