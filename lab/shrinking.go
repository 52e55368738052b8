package main

import (
	_ "embed"
	"encoding/json"
)

// shrunkJSON has the figures. The tests shrink again and compare, so that a change that makes shrinking worse is seen.
//
//go:embed shrunk.json
var shrunkJSON []byte

func readShrunk() (rows []shrunkRow, err error) { return rows, json.Unmarshal(shrunkJSON, &rows) }

// shrinking is how short the run of each known bug becomes: what shrinking makes of what random schedules find, beside
// the shortest run that is known.
func shrinking([]string) (string, error) {
	rows, err := readShrunk()
	if err != nil {
		return "", err
	}
	return shrinkingTable("..", rows)
}
