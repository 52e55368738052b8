package main

import (
	_ "embed"
	"encoding/json"

	"github.com/watchbed/watchbed/explore/strategy"
	// All known bugs.
	_ "github.com/watchbed/watchbed/knownbugs"
	"github.com/watchbed/watchbed/testbed"
)

// strategiesJSON has the figures. The tests run campaigns again and compare, so that a change that makes the search
// worse is seen.
//
//go:embed strategies.json
var strategiesJSON []byte

// readStrategies are the rows in the order of the bugs, and for each bug in that of the strategies. The file has the
// campaigns by bug and strategy.
func readStrategies() (rows []strategyRow, err error) {
	var recorded map[string]map[string][]int
	if err := json.Unmarshal(strategiesJSON, &recorded); err != nil {
		return nil, err
	}
	for _, b := range testbed.KnownBugs() {
		for _, s := range strategy.All() {
			rows = append(rows, strategyRow{b.Name, s.Name, recorded[b.Name][s.Name]})
		}
	}
	return rows, nil
}

// strategies is how soon each strategy finds each known bug, and what each strategy is worth to the portfolio.
func strategies([]string) (string, error) {
	rows, err := readStrategies()
	if err != nil {
		return "", err
	}
	return strategiesTable(rows), nil
}
