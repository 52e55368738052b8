package main

import (
	_ "embed"
	"encoding/json"
	"errors"
)

// The tests count the figures again and compare.
var (
	//go:embed sampled.json
	sampledJSON []byte
	//go:embed sizes.json
	sizesJSON []byte
)

// sampled is how much of all schedules a sample sees: the states, histories and classes of schedules of small worlds
// that random schedules of each strategy come to, against all of them, which a search has counted.
func sampled([]string) (string, error) {
	var worlds map[string]figures
	var sizes map[string]sized
	if err := errors.Join(json.Unmarshal(sampledJSON, &worlds), json.Unmarshal(sizesJSON, &sizes)); err != nil {
		return "", err
	}
	return sampledTable(worlds) + tableOfSizes(sizes), nil
}
