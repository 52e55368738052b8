package main

import (
	"slices"
)

// campaigns is how many of them are run for each bug; an odd number, so that one of them is the median.
const campaigns = 3

// run is what a campaign found, and what shrinking made of it. All but Found are of the shrunk run.
type run struct {
	// Found is how many steps the violating run had, Steps and Choices how many the shrunk one has.
	Found, Steps, Choices int
}

// row is what the campaigns of a bug came to.
type row struct {
	Bug   string
	Timed bool `json:",omitempty"`
	Runs  []run
}

func rowOf(rows []row, bug string) *row {
	if i := slices.IndexFunc(rows, func(r row) bool { return r.Bug == bug }); i >= 0 {
		return &rows[i]
	}
	return nil
}

// median is that of one of the figures.
func median(runs []run, figure func(run) int) int {
	list := figures(runs, figure)
	return list[len(list)/2]
}

// figures are those of all runs, from the smallest on.
func figures(runs []run, figure func(run) int) []int {
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
