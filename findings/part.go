package findings

import (
	"slices"
	"strings"
)

// Parts are what a page says, in this order: each begins with its name and a full stop, in
// bold.
var Parts = []string{"Story", "Affected", "First good", "Try it", "Removed by", "Real servers", "Exposed", "Proposed", "Reported"}

func heading(part string) string { return "**" + part + ".**" }

// Part is the text of one of the Parts without its name.
func (p *Page) Part(name string) string {
	_, text, _ := strings.Cut(p.Text, heading(name))
	if i := slices.Index(Parts, name); i+1 < len(Parts) {
		text, _, _ = strings.Cut(text, heading(Parts[i+1]))
	}
	return strings.TrimSpace(text)
}

// Command is what the page tells its reader to type, without the name of the program.
func (p *Page) Command() string {
	_, rest, _ := strings.Cut(p.Text, "\n    simrun ")
	command, _, _ := strings.Cut(rest, "\n")
	return command
}

// Measured are the rows of the table of what the commands find, cell by cell: command,
// property, violated or holds, and in how many schedules.
func (p *Page) Measured() (rows [][]string) {
	_, rest, _ := strings.Cut(p.Text, BeginMeasured)
	table, _, _ := strings.Cut(rest, EndOfTable)
	for line := range strings.Lines(table) {
		rows = append(rows, strings.Split(strings.ReplaceAll(strings.Trim(line, "| \n"), "`", ""), " | "))
	}
	return rows
}

// What stands around a table that is measured.
const (
	BeginMeasured = "<!-- measured -->\n| command | property | finds | schedules |\n|---|---|---|---|\n"
	EndOfTable    = "<!-- end -->\n"
)
