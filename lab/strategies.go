package main

import (
	_ "embed"
	"encoding/json"

	// All known bugs.
	_ "github.com/watchbed/watchbed/knownbugs"
)

// strategiesJSON has the figures. The tests run campaigns again and compare, so that a change that makes the search worse is seen.
//
//go:embed strategies.json
var strategiesJSON []byte

func readStrategies() (rows []strategyRow, err error) {
	return rows, json.Unmarshal(strategiesJSON, &rows)
}

// strategies is how soon each strategy finds each known bug, and what each strategy is worth to the portfolio.
func strategies([]string) (string, error) {
	rows, err := readStrategies()
	if err != nil {
		return "", err
	}
	return strategiesTable(rows), nil
}
