package main

import (
	"slices"
)

// shrinkCampaigns is how many of them are run for each bug; an odd number, so that one of them is the median.
const shrinkCampaigns = 3

// run is what a campaign found, and what shrinking made of it. All but Found are of the shrunk run.
type run struct {
	// Found is how many steps the violating run had, Steps and Choices how many the shrunk one has.
	Found, Steps, Choices int
}

// shrunkRow is what the campaigns of a bug came to.
type shrunkRow struct {
	Bug   string
	Timed bool `json:",omitempty"`
	Runs  []run
}

func rowOf(rows []shrunkRow, bug string) *shrunkRow {
	if i := slices.IndexFunc(rows, func(r shrunkRow) bool { return r.Bug == bug }); i >= 0 {
		return &rows[i]
	}
	return nil
}

// medianOf is that of one of the figures.
func medianOf(runs []run, figure func(run) int) int {
	list := sorted(runs, figure)
	return list[len(list)/2]
}

// sorted are those of all runs, from the smallest on.
func sorted(runs []run, figure func(run) int) []int {
	list := make([]int, len(runs))
	for i, r := range runs {
		list[i] = figure(r)
	}
	slices.Sort(list)
	return list
}

func foundSteps(r run) int  { return r.Found }
func shrunkSteps(r run) int { return r.Steps }
func choices(r run) int     { return r.Choices }
