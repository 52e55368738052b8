package flip

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/recorded"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	_ "github.com/watchbed/watchbed/knownbugs"
	"github.com/watchbed/watchbed/model"
	_ "github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// changed is a scenario with some parameters set, name=value.
func changed(t *testing.T, name string, set []string) (*testbed.Scenario, testbed.Params) {
	t.Helper()
	sc, err := testbed.FindScenario(name)
	require.NoError(t, err)
	p := sc.Params
	for _, s := range set {
		k, v, _ := strings.Cut(s, "=")
		require.NoError(t, p.Set(k, v))
	}
	return sc, p
}

// firstFailing is the first run of a scenario that violates a property, as it was
// found.
func firstFailing(t *testing.T, name, property string, set ...string) (*testbed.Scenario, *explore.Runner, *recording.Recording, explore.Failure) {
	t.Helper()
	sc, p := changed(t, name, set)
	system, err := sc.New(p)
	require.NoError(t, err)
	r := explore.NewRunner(system, p.Steps)
	c := strategy.Default().New(strategy.Measure(r))
	for seed := range uint64(20_000) {
		c.Begin(seed)
		result := r.Run(c)
		i := slices.IndexFunc(result.Findings, func(f explore.Finding) bool { return f.Property == property && f.Verdict == model.Violated })
		if i < 0 {
			continue
		}
		f := result.Findings[i].Failure()
		rec, _ := recording.RecordSeed(r, strategy.Default(), seed)
		rec.Scenario = sc.Name
		for _, x := range p.Expand() {
			rec.Parameters = append(rec.Parameters, recording.Parameter{Name: x.Name, Value: x.Value})
		}
		return sc, r, rec, f
	}
	t.Fatalf("%s is never violated", property)
	return nil, nil, nil, explore.Failure{}
}

// failing is that run, shrunk.
func failing(t *testing.T, name, property string, set ...string) (*testbed.Scenario, *recording.Recording, explore.Failure) {
	t.Helper()
	sc, r, rec, f := firstFailing(t, name, property, set...)
	small, err := recording.Shrink(context.Background(), r, rec, f, 5_000)
	require.NoError(t, err)
	return sc, small.Recording, f
}

func TestReleases(t *testing.T) {
	_, p := changed(t, "issue-15220", nil)
	b, err := p.Behaviours()
	require.NoError(t, err)
	of := func(name string) testbed.Dimension {
		i := slices.IndexFunc(b.Dimensions(), func(d testbed.Dimension) bool { return d.Name == name })
		return b.Dimensions()[i]
	}
	for _, c := range []struct{ etcd, dimension, value, want string }{
		{"3.5.7", "progress", "deferred", "etcd 3.5.8 to 3.5.12"},
		{"3.5.7", "progress", "dropped-below-start", "etcd from 3.5.22 on"},
		{"3.5.13", "progress", "control-queue", "etcd up to 3.5.7"},
		{"3.6.0", "progress", "control-queue", "which no release of this branch has"},
		{"3.5.7", "created", "in-order", "which no release of this branch has"},
		{"3.5.7", "progress", "control-queue", "etcd 3.5.7 as released"},
		{"3.5.7", "resume-revision", "after-header", "clientv3 from 3.5.8 on"},
		{"3.5.7", "freshness", "direct", "as in the design direct"},
	} {
		p.Etcd = c.etcd
		require.Equal(t, c.want, releases(p, of(c.dimension), c.value).text, "%+v", c)
	}
	// What the scenario puts aside is no remedy, a bug that is taken away is one.
	p.Etcd = "3.5.13"
	require.False(t, releases(p, of("created"), "past-channel").later)
	p.Bugs = []string{"progress=control-queue"}
	require.True(t, releases(p, of("progress"), "dropped").later)
}

// TestConvincing: a flip that only moves the run away is none.
func TestConvincing(t *testing.T) {
	for _, c := range []struct {
		trial
		convincing, plausible bool
	}{
		{trial{taken: 10, recorded: 10}, true, true},
		{trial{taken: 8, recorded: 10}, false, false},
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

// TestFlipMustRemoveTheViolation: a behaviour that has nothing to do with it
// leaves it, and a cache that asks nobody for freshness is never a remedy.
func TestFlipMustRemoveTheViolation(t *testing.T) {
	sc, rec, f := failing(t, "issue-15220", "linearizable-data")
	p, err := recorded.Params(sc, rec)
	require.NoError(t, err)
	_, ok := (&search{sc, p, rec, f, nil}).try(with(p, "restore-tombstone", "indexed"))
	require.False(t, ok)
	v, ok := (&search{sc, p, rec, f, nil}).try(with(p, "progress", "dropped"))
	require.True(t, ok)
	require.True(t, v.fits())

	sc, rec, f = failing(t, "consistent-list", "unique", "etcd=3.5.7")
	p, err = recorded.Params(sc, rec)
	require.NoError(t, err)
	b, err := p.Behaviours()
	require.NoError(t, err)
	i := slices.IndexFunc(b.Dimensions(), func(d testbed.Dimension) bool { return d.Name == freshness })
	require.GreaterOrEqual(t, i, 0)
	require.Contains(t, b.Dimensions()[i].Values, noFreshness)
	require.Contains(t, b.Dimensions()[i].Values, bypassesCache)
	d := (&search{sc, p, rec, f, alike(sc, p, f, rec.Seed)}).decide(b.Dimensions()[i])
	require.NotNil(t, d, "to send every read to etcd is worth saying")
	require.False(t, slices.ContainsFunc(d.values, func(v trial) bool { return v.name == noFreshness }))
	require.True(t, slices.ContainsFunc(d.values, func(v trial) bool { return v.name == bypassesCache }))
}
