package proofs

import (
	_ "embed"
	"encoding/json"
)

// Search is a row of the table: what simrun prove was asked for, and what it came to.
type Search struct {
	// Asked begins with the scenario; flags follow.
	Asked   string
	Verdict string
	States  int
}

//go:embed proofs.json
var kept []byte

// Searches are the rows without a planted bug, in no order.
func Searches() []Search {
	var table struct{ Proofs map[string]Search }
	if err := json.Unmarshal(kept, &table); err != nil {
		panic(err) // embedded
	}
	var all []Search
	for asked, row := range table.Proofs {
		row.Asked = asked
		all = append(all, row)
	}
	return all
}
