package proofs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/explore/prove/schedules"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
)

// situations are the names of those that came about in a search, in order. In the file they take one line.
type situations string

const betweenSituations = "; "

// situationsOf are none of a search that is too large to be repeated, since nothing would hold them to it.
func situationsOf(p *proof.Proof) situations {
	if p.States > searchedInCI {
		return ""
	}
	return situations(strings.Join(slices.Sorted(slices.Values(p.Situations)), betweenSituations))
}

func (s situations) names() []string {
	if s == "" {
		return nil
	}
	return strings.Split(string(s), betweenSituations)
}

// lost is the first of these situations that did not come about in another search of the same row, empty if none is missing.
func (s situations) lost(in situations) string {
	have := in.names()
	for _, name := range s.names() {
		if !slices.Contains(have, name) {
			return name
		}
	}
	return ""
}

// TestLostSituations: one that did not come about is named, and one more is no loss.
func TestLostSituations(t *testing.T) {
	kept := situations("a: b; c: d, e")
	require.Equal(t, "a: b", kept.lost("c: d, e; f"))
	require.Equal(t, "c: d, e", kept.lost("a: b"))
	require.Equal(t, "a: b", kept.lost(""))
	require.Empty(t, kept.lost("a: b; c: d, e; f"))
	require.Empty(t, situations("").lost("f"))
}

// TestNoSituationIsSplit: no name has in it what stands between names.
func TestNoSituationIsSplit(t *testing.T) {
	for _, s := range sim.Situations() {
		require.NotContains(t, s.String(), betweenSituations)
	}
}

// TestOnlySearchesThatAreRepeatedSayWhatCameAbout: nothing would hold a larger one to it.
func TestOnlySearchesThatAreRepeatedSayWhatCameAbout(t *testing.T) {
	kept, said := load(t), 0
	check := func(name string, states int, s situations) {
		if s != "" {
			said++
			require.LessOrEqual(t, states, searchedInCI, name)
		}
	}
	for name, f := range kept.Proofs {
		check(name, f.States, f.Situations)
	}
	for name, f := range kept.Bugs {
		check(name, f.States, f.Situations)
		check("without "+name, f.Without.States, f.Without.Situations)
	}
	require.Greater(t, said, len(kept.Bugs))
}

// TestSituationsOfASearch: they are the same with any number of workers, and a search of schedules, which go on when the clients
// are done, sees all of them as well.
func TestSituationsOfASearch(t *testing.T) {
	p := scenarios.Issue15220.Params
	require.NoError(t, setAll(&p, "etcd=3.6.16 "+one))
	var by [][]string
	for _, workers := range []int{1, 2} {
		found, _, err := proof.Search(t.Context(), scenarios.Issue15220, p, prove.Config{Bounds: prove.Bounds{Firings: 1}, Workers: workers}, "test")
		require.NoError(t, err)
		by = append(by, found.Situations)
	}
	require.Equal(t, by[0], by[1])
	require.Contains(t, by[0], "cache: read waits")
	require.NotContains(t, by[0], "etcd: no leader")
	found, _, err := proof.SearchSchedules(t.Context(), scenarios.Issue15220, p, schedules.Config{Firings: 1}, "test")
	require.NoError(t, err)
	require.Subset(t, found.Situations, by[0])
}
