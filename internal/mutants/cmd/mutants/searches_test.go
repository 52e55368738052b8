package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSearchedTableIsWhatWasFound: the table is what the results in the file give, and has each of them.
func TestSearchedTableIsWhatWasFound(t *testing.T) {
	known, err := readSearched("../../../../" + searchedFile)
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(known), sampleSize)
	text, err := os.ReadFile("../../../../" + searchedTableFile)
	require.NoError(t, err)
	var list []*searched
	for _, s := range known {
		if strings.Contains(string(text), "| "+s.ID+" |") {
			list = append(list, s)
		}
	}
	require.Len(t, list, sampleSize)
	slices.SortFunc(list, func(a, b *searched) int { return strings.Compare(drawnAt(a.ID), drawnAt(b.ID)) })
	head, _, _ := strings.Cut(searchedTable(list, largestRow), "\n## Found")
	require.True(t, strings.HasPrefix(string(text), head), "written otherwise: go run ./internal/mutants/cmd/mutants -searches")
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
