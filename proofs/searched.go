package proofs

import (
	_ "embed"
	"encoding/json"
	"sync"
)

// Search is a row of the table: what simrun prove was asked for, and what it came to.
type Search struct {
	// Asked begins with the scenario; flags follow.
	Asked string
	// Part is the one of the table, from 1 on; 0 is the catalogue in small worlds.
	Part int
	// Claims are those of the scenario that the row judges, all if there are none. NotJudged are those that no search judges.
	Claims, NotJudged []string
	Verdict           string
	// Why is that of an undecided search, Vacuous are the claims that no step has put to the test.
	Why                        string
	Vacuous                    []string
	States, Transitions, Depth int
	// Violated is the property that a shortest schedule violates, of so many Steps, of which the last Loop can be repeated for ever.
	Violated    string
	Steps, Loop int
	// Seconds are how long the search of larger bounds took.
	Seconds float64
	// Shrunk is the number of steps of the run that shrinking makes within the same bounds, Without what they come to without the bug. Both
	// are of known bugs.
	Shrunk  int
	Without *struct {
		Verdict string
		States  int
	}
}

// Part is a promise that several rows are about.
type Part struct {
	Title, Text string
	// Wanted are the bounds that are still too large, in words.
	Wanted string
}

// Table is all that is written down.
type Table struct {
	Parts []Part
	// Proofs are the rows without a planted bug, by what was asked; Bugs are those of known bugs, by their names.
	Proofs, Bugs map[string]Search
	// Unsearched has the known bugs that no search finds, with the reasons.
	Unsearched map[string]string
}

//go:embed proofs.json
var kept []byte

// Kept is the table. It panics if the file that is built in cannot be read: a test reads it.
var Kept = sync.OnceValue(func() *Table {
	t := &Table{}
	if err := json.Unmarshal(kept, t); err != nil {
		panic("proofs/proofs.json: " + err.Error())
	}
	for asked, row := range t.Proofs {
		row.Asked = asked
		t.Proofs[asked] = row
	}
	return t
})

// Searches are the rows without a planted bug, in no order.
func Searches() []Search {
	var all []Search
	for _, row := range Kept().Proofs {
		all = append(all, row)
	}
	return all
}
