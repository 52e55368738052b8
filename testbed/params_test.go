package testbed_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "github.com/watchbed/watchbed/internal/testsize"
	_ "github.com/watchbed/watchbed/knownbugs"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

func params(settings ...string) testbed.Params {
	return testbed.Params{Etcd: "3.5.13", Cache: "kep-2340", Settings: option.Settings(settings...)}
}

func valueOf(t *testing.T, p testbed.Params, name string) string {
	t.Helper()
	n, err := p.Nodes()
	require.NoError(t, err)
	return n.Value(name)
}

// TestOptionNamesAreUnique: --set names one thing, whichever group it is in.
func TestOptionNamesAreUnique(t *testing.T) {
	names := testbed.OptionNames()
	require.NotEmpty(t, names)
	slices.Sort(names)
	for i := range names[1:] {
		assert.NotEqual(t, names[i], names[i+1])
	}
	for _, o := range testbed.Describe() {
		assert.NotEmpty(t, o.Node, o.Name)
		assert.NotEmpty(t, o.Doc, o.Name)
		assert.True(t, o.Form != "" || len(o.Values) > 0, "%s: which values does it take?", o.Name)
	}
}

// TestBugsMasksAndSettingsOverrideInOrder: bugs override settings, settings masks, and all of them
// version and design.
func TestBugsMasksAndSettingsOverrideInOrder(t *testing.T) {
	p := params()
	assert.Equal(t, "dropped", valueOf(t, p, "progress"))
	assert.Equal(t, "in-order", valueOf(t, p, "created"), "the race is masked")
	p.Unmask = []string{"created"}
	assert.Equal(t, "past-channel", valueOf(t, p, "created"))

	p = params("progress=deferred", "created=past-channel")
	assert.Equal(t, "deferred", valueOf(t, p, "progress"))
	assert.Equal(t, "past-channel", valueOf(t, p, "created"))
	p.Bugs = []string{"issue-15220"}
	assert.Equal(t, "control-queue", valueOf(t, p, "progress"))

	p.Bugs = []string{"issue-15220", "issue-17507"}
	_, err := p.Nodes()
	assert.EqualError(t, err, `"issue-15220" and "issue-17507" both set progress; give one of them`)
}

func TestSetRefusesInOneLine(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"progres", "dropped", `unknown option "progres"; did you mean "progress"?`},
		{"progress", "droped", `progress has no value "droped"; did you mean "dropped"?`},
		{"writers", "-1", "writers=-1: want a whole number from 0 to 10000000"},
		{"bugs", "issue-15221", `unknown bug "issue-15221"; did you mean "issue-15220"?`},
		{"bugs", "progress=dropped", `unknown bug "progress=dropped"; --set takes NAME=VALUE`},
		{"cache", "kep-2341", `unknown cache design "kep-2341"; did you mean "kep-2340"?`},
		{"members", "3.5.7,3.5", `members=3.5.7,3.5: etcd: unknown version "3.5": 3.3.0 to 3.7.x are known, the nearest is 3.5.35`},
		{"lost", "valu", `lost has no value "valu"; did you mean "value"?`},
		{"progress", "deferred", "progress=deferred: the bug issue-15220 sets progress=control-queue; give one of them"},
	} {
		p := params()
		p.Bugs = []string{"issue-15220"}
		before := p
		assert.EqualError(t, p.Set(c.name, c.value), c.want)
		assert.Equal(t, before, p)
	}
}

func TestSetReplacesASetting(t *testing.T) {
	p := params("progress=deferred", "ring=3")
	require.NoError(t, p.Set("progress", "dropped"))
	require.NoError(t, p.Set("writers", "2"))
	assert.Equal(t, option.Settings("ring=3", "progress=dropped"), p.Settings)
	assert.Equal(t, 2, p.Workload.Writers)
	assert.Equal(t, option.Settings("etcd=3.5.13", "cache=kep-2340", "writers=2", "ring=3", "progress=dropped"), p.Given())
}

func TestWithTakesThePlaceOfABug(t *testing.T) {
	p := params("ring=3")
	p.Bugs = []string{"issue-15220", "issue-15271"}
	with, err := p.With("progress", "dropped")
	require.NoError(t, err)
	assert.Equal(t, []string{"issue-15271"}, with.Bugs)
	assert.Equal(t, "dropped", valueOf(t, with, "progress"))
	assert.Equal(t, []string{"issue-15220", "issue-15271"}, p.Bugs, "the original stays as it is")
}

// TestExpandedParamsAreRestored: a recording lists every option with its value, and
// is read back onto other parameters.
func TestExpandedParamsAreRestored(t *testing.T) {
	p := params("ring=3", "notify=20s")
	p.Bugs, p.Workload.Read, p.Topology.Members = []string{"issue-17507"}, "any", "3.5.7!"
	expanded := p.Expand()
	require.Len(t, expanded, len(testbed.OptionNames()))
	require.Contains(t, expanded, option.Setting{Name: "progress", Value: "deferred"})

	q := testbed.Params{Etcd: "3.6.16", Cache: "kep-4988", Settings: option.Settings("watch-buf=2", "progress=dropped")}
	require.NoError(t, q.Restore(expanded))
	assert.Equal(t, expanded, q.Expand())
	assert.ErrorContains(t, q.Restore(option.Settings("ring=many")), "ring=many: want a whole number")
	assert.ErrorContains(t, q.Restore(option.Settings("rings=1")), `unknown option "rings"`)
}

func TestZeroOfAnAmountStandsForTheDefault(t *testing.T) {
	assert.Equal(t, "10", testbed.StandsFor("stream-chunk", "0"))
	for _, set := range option.Settings("stream-chunk=1", "writers=0", "leave=0", "mode=0", "progress-period=0s") {
		assert.Empty(t, testbed.StandsFor(set.Name, set.Value), "%s", set)
	}
}

func TestOnlyAClockReadsHowLongThingsTake(t *testing.T) {
	untimed, timed := testbed.Clock{}, testbed.Clock{Mode: sim.Timed}
	assert.True(t, untimed.Unread("horizon"))
	assert.False(t, timed.Unread("horizon"))
	assert.False(t, untimed.Unread("steps"))
	for _, name := range testbed.OptionNames() {
		assert.False(t, timed.Unread(name), name)
	}
}
