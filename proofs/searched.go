// Package proofs (unstable) is what `simrun prove` has shown of releases of etcd and designs of the
// cache: which promise holds in every schedule within which bounds, and the length of a shortest
// schedule where it does not. proofs.json is the table, which simrun list proofs prints.
//
// A row has at most one client, one write and one fault of each kind, or one thing more than a smaller row. It is in
// the table because it shows a coverage point, puts a claim to the test, or finds a mutant that no other row does.
//
// The tests of the package search again and compare, and hold both engines to each other and what states keep of the
// past to whole histories. The package must never import anything of the module: the command line reads the table, and
// the tests search.
package proofs

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"sync"
)

// Search is a row of the table: what simrun prove is asked for, and what it came to. A row without a verdict was not
// searched yet.
type Search struct {
	// Asked begins with the scenario; flags follow. In proofs.json that of a row without a planted bug is its key, and
	// --set is left out.
	Asked string `json:",omitempty"`
	// Part is the one of the table, from 1 on; 0 is the catalogue in small worlds.
	Part int `json:",omitempty"`
	// Claims are those of the scenario that the row judges, all if there are none.
	Claims  []string `json:",omitempty"`
	Verdict string   `json:",omitempty"`
	// Why is that of an unknown search.
	Why         string `json:",omitempty"`
	States      int
	Transitions int `json:",omitempty"`
	Depth       int `json:",omitempty"`
	// Vacuous are the claims that no step has put to the test, NotJudged those that no search judges.
	Vacuous   []string `json:",omitempty"`
	NotJudged []string `json:",omitempty"`
	// CoveragePoints are the numbers of those that came about (Table.CoveragePoints), of a row that is not large.
	CoveragePoints []int `json:",omitempty"`
	// Violated is the property that a shortest schedule violates, of so many Steps, of which the last Loop can be
	// repeated for ever.
	Violated string `json:",omitempty"`
	Steps    int    `json:",omitempty"`
	Loop     int    `json:",omitempty"`
	// Seconds are how long the search took, of a row that is searched for minutes however many states there are.
	Seconds float64 `json:",omitempty"`
	// Shrunk is the number of steps of the run that shrinking makes within the same bounds, 0 if it was given none, and
	// Without what the bounds come to without the bug. Both are of known bugs.
	Shrunk  int     `json:",omitempty"`
	Without *Search `json:",omitempty"`
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
	// CoveragePoints are those that came about in some row.
	CoveragePoints []string
	// Proofs are the rows without a planted bug, by what is asked; Bugs are those of known bugs, by their names.
	Proofs, Bugs map[string]Search
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
		row.Asked = Flags(asked)
		t.Proofs[asked] = row
	}
	for bug, row := range t.Bugs {
		row.Asked = Flags(row.Asked)
		t.Bugs[bug] = row
	}
	return t
})

var setting = regexp.MustCompile(` ([a-z-]+=)`)

// Flags is what a row of proofs.json asks for, with --set before each setting.
func Flags(asked string) string { return setting.ReplaceAllString(asked, " --set $1") }
