package findings

import (
	_ "embed"
	"fmt"
	"io"
	"strings"
)

//go:embed coverage.jsonl
var coverage []byte

// Section is a section of one of the documents that the bed was built from, or a subject of a later one, and what covers it: a line
// of coverage.jsonl.
type Section struct {
	Document string `json:"document"`
	Section  string `json:"section"`
	// Scenarios put it to the test, Properties judge it there, Tests are tests, files of interactions and benchmarks beside.
	Scenarios  []string `json:"scenarios,omitempty"`
	Properties []string `json:"properties,omitempty"`
	Tests      []string `json:"tests,omitempty"`
	// Remarks is what to add to the command line, or why nothing covers the section.
	Remarks string `json:"remarks,omitempty"`
}

// Coverage is all sections, document by document.
func Coverage() []Section { return lines[Section](coverage) }

// WriteCoverage writes the sections for people.
func WriteCoverage(w io.Writer) error {
	var b strings.Builder
	document := ""
	for _, s := range Coverage() {
		if s.Document != document {
			document = s.Document
			fmt.Fprintf(&b, "\n%s\n", document)
		}
		fmt.Fprintf(&b, "  %s\n", s.Section)
		for _, part := range []struct {
			name string
			of   []string
		}{{"scenarios", s.Scenarios}, {"properties", s.Properties}, {"tests", s.Tests}} {
			if len(part.of) > 0 {
				fmt.Fprintf(&b, "    %s: %s\n", part.name, strings.Join(part.of, ", "))
			}
		}
		if s.Remarks != "" {
			fmt.Fprintf(&b, "    %s\n", s.Remarks)
		}
	}
	_, err := io.WriteString(w, strings.TrimPrefix(b.String(), "\n"))
	return err
}
