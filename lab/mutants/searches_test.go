package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSearchedTableHasEachMutant of the sample.
func TestSearchedTableHasEachMutant(t *testing.T) {
	results, err := readResults("../../" + resultsFile)
	require.NoError(t, err)
	killed, err := Find("../..", searchedPackages(), func(id string) bool { return results[id] != nil })
	require.NoError(t, err)
	for _, m := range killed {
		results[m.ID()].mutant = m
	}
	known, err := readSearched("../../"+searchedFile, results)
	require.NoError(t, err)
	require.NotEmpty(t, known)
	text := searchedTable(inOrder(known), largestRow)
	for id := range known {
		require.Equal(t, 1, strings.Count(text, "| "+id+" |"), id)
	}
}

// TestWilson compares with values of Wilson's interval for 10 of 20, 0 of 10 and 10 of 10 that were computed
// with its formula by hand.
func TestWilson(t *testing.T) {
	for _, test := range []struct {
		k, n      int
		low, high float64
	}{{10, 20, 0.299, 0.701}, {0, 10, 0, 0.278}, {10, 10, 0.722, 1}} {
		low, high := wilson(test.k, test.n)
		require.InDelta(t, test.low, low, 0.001)
		require.InDelta(t, test.high, high, 0.001)
	}
}
