package findings

import _ "embed"

//go:embed coverage.jsonl
var coverage []byte

// Section is a section of one of the documents that the bed was built from, or a subject of a later one, and what
// covers it: a line of coverage.jsonl.
type Section struct {
	Document string `json:"document"`
	Section  string `json:"section"`
	// Scenarios put it to the test, Properties judge it there, Tests are tests, files of interactions and benchmarks
	// beside.
	Scenarios  []string `json:"scenarios,omitempty"`
	Properties []string `json:"properties,omitempty"`
	Tests      []string `json:"tests,omitempty"`
	// Remarks is what to add to the command line, or why nothing covers the section.
	Remarks string `json:"remarks,omitempty"`
}

// Coverage is all sections, document by document.
func Coverage() []Section { return lines[Section](coverage) }
