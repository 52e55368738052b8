package model

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSelections(t *testing.T) {
	items := []*Item{
		{Key: "a", Value: "2", CreateRevision: 2, ModRevision: 7, Version: 3},
		{Key: "b", Value: "1", CreateRevision: 5, ModRevision: 5, Version: 1},
		{Key: "c", Value: "3", CreateRevision: 4, ModRevision: 6, Version: 1},
	}
	for want, s := range map[string]Selection{
		"abc": {SortBy: ByKey}, "cba": {Descending: true},
		"bca": {SortBy: ByVersion}, "abc ": {SortBy: ByVersion, Descending: true},
		"acb": {SortBy: ByCreate}, "acb ": {SortBy: ByMod, Descending: true}, "bac": {SortBy: ByValue},
		"ac": {MinMod: 6}, "bc": {MaxMod: 6}, "bc ": {MinCreate: 4}, "ac ": {MaxCreate: 4}, "c": {MinMod: 6, MinCreate: 3},
	} {
		got := ""
		for _, it := range s.Of(items) {
			got += it.Key
		}
		require.Equal(t, want[:len(got)], got, "%+v", s)
		require.Equal(t, "a", items[0].Key, "the list is not changed")
	}
}

// TestPatternsOfSeveralTerms: a value fits both patterns exactly if it fits what And makes of
// them.
func TestPatternsOfSeveralTerms(t *testing.T) {
	parts := []string{"", "w", "w1.", "w2.", "0", ".0", ".1"}
	values := []string{"", "w", "w1.0", "w1.1", "w2.0", "initial", "w10", ".0"}
	for _, a := range parts {
		for _, b := range parts {
			p, q := ValuePattern{Prefix: a, Suffix: b}, ValuePattern{Prefix: b, Suffix: a}
			for _, v := range values {
				if got, want := p.And(q).Fits(&Item{Value: v}), p.Fits(&Item{Value: v}) && q.Fits(&Item{Value: v}); got != want {
					t.Errorf("%q: %+v and %+v: %t, want %t", v, p, q, got, want)
				}
			}
		}
	}
}
